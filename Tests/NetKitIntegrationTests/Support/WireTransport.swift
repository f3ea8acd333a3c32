import NetKit

/// The transports that carry bytes. A test over one has to pass over the other.
enum WireTransport: String, CaseIterable, Sendable {
    #if os(Linux)
        case curl
    #endif
    case urlSession

    func make() throws -> any Transport {
        switch self {
        #if os(Linux)
            case .curl: try CurlTransport()
        #endif
        case .urlSession: URLSessionTransport()
        }
    }

    /// A client with a transport of its own.
    func client(
        _ baseURL: URL,
        timeouts: Timeouts = .standard,
        clock: NetKitClock = .system,
        _ interceptors: any Interceptor...
    ) throws -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.clock = clock
        configuration.timeouts = timeouts
        return HTTPClient(
            baseURL: baseURL,
            transport: try make(),
            interceptors: InterceptorList(interceptors),
            configuration: configuration
        )
    }
}

#if os(Linux)
    extension HTTPClient {
        /// Returns a client over libcurl without interceptors.
        static func curl(
            _ change: (inout CurlTransport.Configuration) throws -> Void = { _ in }
        ) throws -> HTTPClient {
            var configuration = CurlTransport.Configuration()
            try change(&configuration)
            return HTTPClient(transport: try CurlTransport(configuration: configuration), interceptors: [])
        }
    }
#endif
