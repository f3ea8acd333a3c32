/// The transport that suits the platform, one for the whole process: nobody closes it.
public struct PlatformTransport: Transport {
    private static let shared = URLSessionTransport()

    fileprivate init() {}

    /// Which transport it is.
    public var summary: String { "platform default: \(Self.shared.summary)" }

    /// Carries out one exchange over the process's transport.
    public func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
        try await Self.shared.send(request, context: context)
    }
}

extension Transport where Self == PlatformTransport {
    /// The transport that suits the platform, shared by the whole process.
    public static var platformDefault: PlatformTransport { PlatformTransport() }
}
