import Foundation
import NetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The settings of the command line.
struct BridgeSettings {
    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    var store = "memory"
    var directory: URL?
    var transport = "default"
    var isStrict = false

    init(_ arguments: [String]) throws(Problem) {
        var rest = arguments[...]
        while let option = rest.popFirst() {
            if option == "--strict" {
                isStrict = true
                continue
            }
            guard let value = rest.popFirst() else { throw Problem(description: "\(option) needs a value.") }
            switch option {
            case "--store": store = value
            case "--directory": directory = URL(fileURLWithPath: value, isDirectory: true)
            case "--transport": transport = value
            default: throw Problem(description: "There is no option \(option).")
            }
        }
    }

    /// The client with these settings.
    func client() throws(Problem) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.redirects = .none
        let cache = try cache()
        switch transport {
        case "default": return HTTPClient(interceptors: [cache], configuration: configuration)
        case "urlsession":
            return HTTPClient(transport: URLSessionTransport(), interceptors: [cache], configuration: configuration)
        default: throw Problem(description: "There is no transport \(transport).")
        }
    }

    private func cache() throws(Problem) -> CacheInterceptor {
        let allows = !isStrict
        switch store {
        case "memory": return CacheInterceptor(MemoryCacheStore(), servesStaleWhenDisconnected: allows)
        case "disk": return CacheInterceptor(try disk(), servesStaleWhenDisconnected: allows)
        case "tiered": return CacheInterceptor(TieredCacheStore(disk: try disk()), servesStaleWhenDisconnected: allows)
        default: throw Problem(description: "There is no store \(store).")
        }
    }

    private func disk() throws(Problem) -> DiskCacheStore {
        guard let directory else { throw Problem(description: "--store \(store) needs --directory.") }
        return DiskCacheStore(directory: directory)
    }
}
