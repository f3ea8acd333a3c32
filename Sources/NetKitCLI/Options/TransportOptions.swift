import Foundation
import NetKit

/// The arguments of `netkit request` for the transport.
struct TransportOptions: Equatable {
    enum Kind: String {
        case curl, urlsession
    }

    var kind: Kind?
    var allowsHTTP2: Bool?
    var addresses: [String: String] = [:]
    var unixSocket: String?

    private var needsCurl: Bool { allowsHTTP2 != nil || !addresses.isEmpty || unixSocket != nil }

    mutating func read(_ argument: String, from rest: inout ArraySlice<String>) throws -> Bool {
        switch argument {
        case "--transport":
            let name = try rest.takeValue(of: argument)
            guard let kind = Kind(rawValue: name) else {
                throw UsageError(message: "--transport must be curl or urlsession, not \"\(name)\".")
            }
            self.kind = kind
        case "--http1.1": allowsHTTP2 = false
        case "--http2": allowsHTTP2 = true
        case "--resolve":
            let text = try rest.takeValue(of: argument)
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else {
                throw UsageError(message: "--resolve is written \"host=address\", not \"\(text)\".")
            }
            addresses[parts[0].lowercased()] = parts[1]
        case "--unix-socket": unixSocket = try rest.takeValue(of: argument)
        default: return false
        }
        return true
    }

    func check() throws {
        guard kind == .urlsession, needsCurl else { return }
        throw UsageError(message: "--http1.1, --http2, --resolve and --unix-socket require --transport curl.")
    }

    func transport() throws -> any Transport {
        if kind == .urlsession { return URLSessionTransport() }
        guard kind == .curl || needsCurl else { return PlatformTransport.platformDefault }
        #if canImport(Glibc) || canImport(Musl)
            var configuration = CurlTransport.Configuration()
            if allowsHTTP2 == false { configuration.httpVersion = .http11 }
            configuration.addressOverrides = addresses
            configuration.unixSocketPath = unixSocket
            return try CurlTransport(configuration: configuration)
        #else
            throw UsageError(message: "the transport curl is available only on Linux.")
        #endif
    }
}
