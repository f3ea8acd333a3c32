import NetKit

/// The transports that every promise about the wire is kept over.
enum WireKind: String, CaseIterable, Sendable {
    #if os(Linux)
        case curl
    #endif
    case urlSession

    /// A client with a transport of its own.
    func client(_ baseURL: URL, timeouts: Timeouts = .standard, _ interceptors: any Interceptor...) throws -> HTTPClient
    {
        var configuration = HTTPClient.Configuration()
        configuration.timeouts = timeouts
        let list = InterceptorList(interceptors)
        switch self {
        #if os(Linux)
            case .curl:
                return HTTPClient(
                    baseURL: baseURL,
                    transport: try CurlTransport(),
                    interceptors: list,
                    configuration: configuration
                )
        #endif
        case .urlSession:
            return HTTPClient(
                baseURL: baseURL,
                transport: URLSessionTransport(),
                interceptors: list,
                configuration: configuration
            )
        }
    }
}
