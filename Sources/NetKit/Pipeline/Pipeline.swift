/// The chain of a client: its interceptors sorted by stage, followed by the transport.
///
/// The order follows from ``Stage``.
public final class Pipeline: Sendable {
    /// The interceptors, outermost first.
    public let interceptors: [any Interceptor]
    /// The transport, which carries out the exchanges.
    public let transport: any Transport
    /// The transport that `transport` forwards exchanges to now, or `transport` itself.
    var actualTransport: any Transport { Self.actual(of: transport) }
    /// Whether the transport is `CallBound`, so that it needs no task of its own.
    let isTransportCallBound: Bool
    /// The interceptors that add a credential, and their positions.
    let adders: [(index: Int, adder: any CredentialAdding)]
    /// Whether a custom interceptor adds a credential.
    let hasCustomAdders: Bool
    /// The interceptors that receive events, including those that add no step to the chain.
    let listeners: [any Interceptor & EventListening]
    /// Whether an interceptor needs the facts of a call that has no listener.
    let readsFacts: Bool
    /// Whether an interceptor needs the header fields that were sent.
    let readsSentFields: Bool
    /// Whether the transport applies the address guard itself.
    let transportChecksAddresses: Bool
    /// The identity of the transport, if servers respond differently to it than to others.
    let transportIdentity: String?

    /// Creates a chain; interceptors of the same stage keep the order of the list.
    public init(_ list: InterceptorList, transport: any Transport) {
        let parts: [any Interceptor] = [AttemptBoundary()] + list.interceptors.flatMap(\.parts)
        let sorted = parts.orderedByNumber { Int64($0.stage.rank) }
        interceptors = sorted
        listeners = list.interceptors.compactMap { $0 as? any Interceptor & EventListening }
        readsFacts = sorted.contains { $0 is any FactsReading }
        readsSentFields = sorted.contains { $0 is any SentFieldsReading }
        adders = sorted.enumerated().compactMap { index, interceptor in
            (interceptor as? any CredentialAdding).map { (index, $0) }
        }
        hasCustomAdders = adders.contains { !($0.adder is any IdentityVerifying) }
        self.transport = transport
        // Kept for the hot path, even if a lack of resources hides the traits now: without them, a call is as safe.
        let actual = Self.actual(of: transport)
        transportChecksAddresses = actual is any AddressJudging
        transportIdentity = (actual as? any IdentifiedTransport)?.identity
        isTransportCallBound = actual is any CallBound
    }

    private static func actual(of transport: any Transport) -> any Transport {
        (transport as? any TransportForwarding)?.actual ?? transport
    }

    /// Returns the chain, whose links refer to the pipeline, so that the pipeline itself cannot keep them.
    func makeChain() -> Next {
        let first = interceptors.enumerated().reversed().reduce(end) { following, place in
            let (index, interceptor) = place
            let receiver = interceptor is any CallBound ? interceptor : UnboundLink(interceptor: interceptor)
            return Link(receiver, at: (self, index), before: following)
        }
        return Next(first)
    }

    /// The link after the last interceptor.
    private var end: Link { Link(ChainEnd(pipeline: self), at: (self, interceptors.count)) }

    /// Sends a request through the whole chain.
    public func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
        try await makeChain()(request, context)
    }

    /// Sends a request past all interceptors, only to open its connection.
    func connect(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
        try await AttemptBoundary().intercept(request, context: context, next: Next(end))
    }
}
