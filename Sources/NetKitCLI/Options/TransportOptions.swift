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

    var authorities: String?
    var certificate: String?
    var key: String?
    var proxy: URL?
    /// Whether the certificate of the server is not verified.
    var isInsecure = false

    private var needsCurl: Bool {
        allowsHTTP2 != nil || !addresses.isEmpty || unixSocket != nil || authorities != nil || certificate != nil
            || key != nil || proxy != nil || isInsecure
    }

    static let options: [CommandOption<TransportOptions>] = [
        .init("--transport", value: "name", "curl or urlsession; default: curl on Linux") {
            guard let kind = Kind(rawValue: $1) else {
                throw UsageError(message: "\($2) must be curl or urlsession, not \"\($1)\".")
            }
            $0.kind = kind
        },
        .init("--http1.1", text: "use only HTTP/1.1") { $0.allowsHTTP2 = false },
        .init("--http2", text: "use HTTP/2, and say so if the server does not") { $0.allowsHTTP2 = true },
        .init("--proxy", value: "url", "send through a proxy") {
            let schemes = ["http", "https", "socks5", "socks5h", "socks4", "socks4a"]
            guard let url = URL(string: $1), url.host()?.isEmpty == false, (1...65_535).contains(url.port ?? 1080),
                schemes.contains(url.scheme?.lowercased() ?? "")
            else {
                // The text may have a password.
                throw UsageError(message: "\($2) needs a URL such as http://host:port.")
            }
            $0.proxy = url
        },
        .init("--cacert", value: "file", "trust the authorities of a PEM file", \.authorities),
        .init("--cert", value: "file", "the client's certificate, a PEM file", \.certificate),
        .init("--key", value: "file", "the key of the client's certificate, if it is in another file", \.key),
        .init("-k", "--insecure", text: "do not verify the certificate: any machine can impersonate the server") {
            $0.isInsecure = true
        },
        .init(
            "--resolve",
            value: "host=address",
            "connect to an address instead of resolving the host; can be repeated"
        ) {
            let parts = $1.split(separator: "=", maxSplits: 1).map(String.init)
            // With a port, as curl wants it, it would be the address of no host.
            guard parts.count == 2, !parts[0].contains(":") else {
                throw UsageError(message: "\($2) is written \"host=address\", without a port, not \"\($1)\".")
            }
            $0.addresses[parts[0].lowercased()] = parts[1]
        },
        .init("--unix-socket", value: "path", "connect to a Unix domain socket, whatever the host", \.unixSocket),
    ]

    func check() throws {
        if key != nil, certificate == nil { throw UsageError(message: "--key needs --cert.") }
        guard kind == .urlsession, needsCurl else { return }
        throw UsageError(
            message: "options for HTTP versions, certificates, proxies, addresses and sockets require --transport curl."
        )
    }

    func transport() throws -> any Transport {
        if kind == .urlsession { return URLSessionTransport() }
        guard kind == .curl || needsCurl else { return PlatformTransport.platformDefault }
        #if canImport(Glibc) || canImport(Musl)
            var configuration = CurlTransport.Configuration()
            if allowsHTTP2 == false { configuration.httpVersion = .http11 }
            configuration.addressOverrides = addresses
            configuration.unixSocketPath = unixSocket
            if let proxy { configuration.proxy = .url(proxy) }
            try UsageError.check(configuration.check)
            if let authorities { configuration.tls.roots = .file(authorities) }
            if let certificate {
                configuration.tls.identity = .init(certificatePath: certificate, keyPath: key ?? certificate)
            }
            if isInsecure { configuration.tls.verification = .insecure }
            return try CurlTransport(configuration: configuration)
        #else
            throw UsageError(message: "the transport curl is available only on Linux.")
        #endif
    }
}
