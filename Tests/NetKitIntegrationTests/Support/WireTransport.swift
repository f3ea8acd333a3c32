import NetKit

/// The transports that carry bytes: what holds over one has to hold over the other.
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
}
