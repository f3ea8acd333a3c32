/// A type that carries out single exchanges: no retry, no redirects, no cache, no credentials, no cookies.
///
/// Those are tasks of interceptors.
///
/// Choose a transport to change *how* bytes travel, and an interceptor to change *what* is sent. Two transports use the
/// network: `CurlTransport` and ``URLSessionTransport``. A custom transport has to keep these promises:
///
/// - **Delivery.** If `context.delivery` is buffered, return when the whole body has arrived, and throw `.bodyTooLarge`
///   past ``Delivery/maxBufferedBytes(of:)``. If it is streamed, return when the headers have arrived; `BodyPipe` does
///   the rest.
/// - **Cancellation.** When the task is cancelled, end the exchange, free its connection and throw promptly.
/// - **Outcome.** Report the progress of the exchange through `context.attempt`, and throw errors with a correct
///   `outcome`.
/// - **Limits.** Enforce `context.timeouts.connect`, `.firstByte` and `.idle`; the pipeline enforces the attempt's and
///   the call's limits.
/// - **Addresses.** If the connected address is known, ask `context.call.addressGuard` about it before anything is
///   sent.
public protocol Transport: Sendable {
    /// The short name of the transport, for `explain()`; by default, the name of its type.
    var summary: String { get }

    /// Carries out one exchange.
    func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse
}

extension Transport {
    /// The name of the type.
    public var summary: String { String(describing: type(of: self)) }
}

/// A transport that asks the address guard before it makes a connection, and before it reuses one.
protocol AddressJudging: Transport {}

/// A transport that may be unable to enforce an address guard.
protocol AddressGuardRefusing: Transport {
    /// The reason why a client with an address guard cannot send over this transport; `nil` if it can.
    var addressGuardProblem: String? { get }
}

/// A transport that reports how many of its connections are in use.
protocol ConnectionCounting {
    var connectionsInUse: Int { get }
}

/// A transport to which servers may respond differently, because of a client certificate or another address.
///
/// Responses over transports of different identities are kept apart.
protocol IdentifiedTransport: Transport {
    /// The identity, which may be secret; `nil` if servers respond as to any other transport.
    var identity: String? { get }
}

/// A transport that forwards every exchange to another one.
protocol TransportForwarding: Transport {
    /// The transport that carries out the exchanges.
    var actual: any Transport { get }
}

extension NetKitError {
    /// Returns the error for a request that was lost with its connection and must not be repeated.
    static func lostBeforeResponse(outcome: Outcome) -> NetKitError {
        NetKitError(
            .connectionLost,
            "The connection was lost before the response began, and the server may have acted on the request. "
                + "Check whether it did, or give the call an idempotency key so that it can be repeated.",
            outcome: outcome
        )
    }
}
