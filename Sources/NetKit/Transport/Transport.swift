/// One exchange on the wire: no retry, no redirects, no cache, no credentials, no cookies.
///
/// Those are interceptors.
///
/// Choose a transport to change *how* bytes travel, an interceptor to change *what* is sent. Two come built in; to write
/// one, keep these promises:
///
/// - **Delivery.** Where `context.delivery` is buffered, return when the whole body is there, and give up with
///   `.bodyTooLarge` past its bound. If it is streamed, return when the headers are there; `BodyPipe` does the rest.
/// - **Cancellation.** When the task is cancelled, end the exchange, free its connection and throw promptly.
/// - **Outcome.** Report through `context.attempt` how far the exchange has come, and throw errors with an honest `outcome`.
/// - **Limits.** Keep `context.timeouts.connect`, `.firstByte` and `.idle`; the pipeline keeps the attempt's and the call's.
/// - **Addresses.** Where the connected address is known, ask `context.call.addressGuard` about it before anything is sent.
public protocol Transport: Sendable {
    /// The name of the transport in a few words, for `explain()`; its type by default.
    var summary: String { get }

    /// Carries out one exchange.
    func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse
}

extension Transport {
    /// The type's name.
    public var summary: String { String(describing: type(of: self)) }
}

/// A transport that asks the address guard before it makes a connection, and before it uses one again.
protocol AddressJudging: Transport {}

/// A transport that cannot keep what an address guard promises.
protocol AddressGuardRefusing: Transport {
    /// The reason why a client with an address guard cannot send over this transport; `nil` if it can.
    var addressGuardProblem: String? { get }
}

/// A transport that tells how much of it is in use.
protocol ConnectionCounting {
    var connectionsInUse: Int { get }
}

/// A transport that makes servers respond differently from another one: by a client certificate, or because it asks elsewhere.
///
/// Responses over transports of different identities are kept apart.
protocol IdentifiedTransport: Transport {
    /// The identity, which may be secret; `nil` if servers respond as to any other transport.
    var identity: String? { get }
}

/// A transport that passes every exchange on to another one.
protocol TransportForwarding: Transport {
    /// The transport that carries out the exchanges.
    var actual: any Transport { get }
}
