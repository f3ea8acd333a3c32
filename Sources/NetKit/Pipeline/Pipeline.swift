/// The chain of a client: its interceptors sorted by stage, followed by the transport.
///
/// The order follows from ``Stage``. The chain is one array, and ``Next`` is an index into it.
public final class Pipeline: Sendable {
    /// The interceptors, outermost first.
    public let interceptors: [any Interceptor]
    /// The transport, which carries out the exchanges.
    public let transport: any Transport
    /// The transport that `transport` forwards exchanges to now, or `transport` itself.
    var actualTransport: any Transport { Self.actual(of: transport) }
    /// For each interceptor, and for the transport at the end, whether it is `CallBound`.
    private let callBoundLinks: [Bool]
    /// The receiver of a request at each index.
    let links: [any Interceptor]
    /// The index of the `Next` that each of the links gets.
    let positions: [Int]
    /// The interceptors that add a credential, and their positions.
    let adders: [(index: Int, adder: any CredentialAdding)]
    /// Whether a custom interceptor adds a credential.
    let hasCustomAdders: Bool
    /// The recipients of events that are not links of the chain.
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
        let links: [any Interceptor] = [AttemptBoundary()] + list.interceptors.flatMap(\.links)
        let sorted = links.orderedByNumber { Int64($0.stage.rank) }
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
        let areCallBound = sorted.map { $0 is any CallBound }
        callBoundLinks = areCallBound + [actual is any CallBound]
        self.links = zip(sorted, areCallBound).map { $1 ? $0 : UnboundLink() } + [ChainEnd()]
        // An unbound link and the end of the chain pass the request on from their own index.
        positions = areCallBound.enumerated().map { $1 ? $0 + 1 : $0 } + [sorted.count]
    }

    private static func actual(of transport: any Transport) -> any Transport {
        (transport as? any TransportForwarding)?.actual ?? transport
    }

    /// Returns whether a link of the chain, or the transport at its end, ends with the call by itself.
    func isCallBound(at index: Int) -> Bool { callBoundLinks[index] }

    /// Sends a request through the whole chain.
    @inline(__always)
    public func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
        // Inlined, so that waiting calls do not hold a frame of it.
        try await Next(self, index: 0)(request, context)
    }

    /// Sends a request past all interceptors, only to open its connection.
    func connect(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
        let next = Next(self, index: interceptors.count)
        return try await AttemptBoundary().intercept(request, context: context, next: next)
    }
}
