#if canImport(Glibc) || canImport(Musl)
    import Foundation

    /// The proxies of a transport, and the choice of one for a request.
    ///
    /// The environment is read once, when the transport is created.
    struct CurlProxies: Sendable {
        /// A proxy server.
        struct Server: Sendable, Hashable, CustomReflectable {
            /// The URL of the proxy for libcurl.
            let url: String
            let host: String
            let port: Int
            /// Whether the connection to the proxy itself uses TLS.
            let isSecure: Bool
            /// Whether the proxy resolves the names of servers.
            let resolvesTargets: Bool
            /// Whether the proxy takes IPv6 addresses of servers.
            let takesIPv6: Bool
            /// Whether the environment defines the proxy, and not the application.
            var isFromEnvironment = false

            /// The host and the port, for messages.
            var place: String { "\(host):\(port)" }

            /// A mirror without the URL, which may contain a password.
            var customMirror: Mirror { Mirror(self, children: ["place": place]) }

            /// Returns the address of a server to give to the proxy, as in a URL; `nil` if it takes none of them.
            ///
            /// An address with a zone is left out, because a zone names a network of this machine.
            func passableAddress(of addresses: [String]) -> String? {
                addresses.first { !$0.contains("%") && (takesIPv6 || !$0.contains(":")) }?.asURLHost
            }

            /// Returns a text of libcurl without the URL, which may contain a password and be cut off.
            func removingURL(from text: String) -> String {
                guard let scheme = url.firstRange(of: "://"),
                    let start = text.firstRange(of: url[..<scheme.upperBound])
                else { return text }
                return text[..<start.lowerBound] + place
            }
        }

        /// The proxies for http and for https.
        private var servers: [(scheme: String, server: Server)] = []
        /// The hosts that are reached without a proxy.
        private var exceptions: [String] = []

        /// Whether any request goes through a proxy.
        var areUsed: Bool { !servers.isEmpty }
        /// Whether the connection to any proxy uses TLS.
        var mayBeSecure: Bool { servers.contains { $0.server.isSecure } }

        init(_ proxy: CurlTransport.Proxy, environment: [String: String]) throws(NetKitError) {
            switch proxy.source {
            case .none: return
            case .url(let url, let exceptHosts):
                let server = try Self.server(url, named: "The proxy's URL")
                servers = [("http", server), ("https", server)]
                exceptions = exceptHosts
            case .environment:
                for (scheme, names) in Self.variables {
                    guard let (name, value) = Self.first(names, in: environment) else { continue }
                    var server = try Self.server(value, named: "The environment variable \(name)")
                    server.isFromEnvironment = true
                    servers.append((scheme, server))
                }
                let list = Self.first(["no_proxy", "NO_PROXY"], in: environment)?.value ?? ""
                exceptions = list.split { $0 == "," || $0.isWhitespace }.map(String.init)
            }
        }

        /// The variables for each scheme, in order of precedence.
        ///
        /// `HTTP_PROXY` is left out: a server that runs CGI programs sets it to the value of a client's `Proxy` field.
        private static let variables: [(scheme: String, names: [String])] = [
            ("http", ["http_proxy", "all_proxy", "ALL_PROXY"]),
            ("https", ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]),
        ]

        private static func first(
            _ names: [String],
            in environment: [String: String]
        ) -> (name: String, value: String)? {
            for name in names {
                if let value = environment[name], !value.isEmpty { return (name, value) }
            }
            return nil
        }

        /// The ports that libcurl uses for each scheme of a proxy if its URL has none.
        private static let defaultPorts = [
            "http": 1080, "https": 443, "socks5": 1080, "socks5h": 1080, "socks4": 1080, "socks4a": 1080,
        ]

        private static func server(_ text: String, named name: String) throws(NetKitError) -> Server {
            func refusal(_ problem: String) -> NetKitError {
                NetKitError(.invalidConfiguration, "\(name) cannot be used: \(problem).")
            }
            // The encoded form, because libcurl refuses a URL with a space, or with an `@` in a password.
            guard let parts = URLComponents(string: text.contains("://") ? text : "http://\(text)"),
                let url = parts.string, let scheme = parts.scheme?.lowercased(), let host = parts.host,
                let encodedHost = parts.encodedHost, !host.isEmpty
            else {
                throw refusal("it has no host. Write it as `http://host:port`")
            }
            guard RequestValidation.isHost(encodedHost), (1...65_535).contains(parts.port ?? 1080) else {
                throw refusal("its host or port is not valid. Write it as `http://host:port`")
            }
            // With such a name or password, libcurl would connect without the proxy.
            let login = "\(parts.percentEncodedUser ?? "")\(parts.percentEncodedPassword ?? "")"
            guard let bytes = PercentEncoding.decoded(login[...].utf8), !bytes.contains(where: \.isControl) else {
                throw refusal("its user name or password contains a control character")
            }
            guard let defaultPort = defaultPorts[scheme] else {
                throw refusal("its scheme is \"\(scheme)\". Use http, https, socks5, socks5h, socks4 or socks4a")
            }
            return Server(
                url: url,
                host: (host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : encodedHost).lowercased(),
                port: parts.port ?? defaultPort,
                isSecure: scheme == "https",
                resolvesTargets: scheme != "socks5" && scheme != "socks4",
                takesIPv6: scheme != "socks4"
            )
        }

        /// Returns the proxy for a server; `nil` if the server is reached without one.
        ///
        /// The guard of the call has to allow proxies of the environment.
        func server(for origin: Origin, guarded addressGuard: AddressGuard?) -> Server? {
            guard let (_, server) = servers.first(where: { $0.scheme == origin.scheme }) else { return nil }
            if server.isFromEnvironment, let addressGuard, !addressGuard.allowsEnvironmentProxy { return nil }
            return exceptions.contains { Self.matches($0, origin) } ? nil : server
        }

        /// Returns whether an exception matches a server: its host, a domain above it, a network, or `*` for all, each
        /// with or without a port.
        ///
        /// Many lists have ports, or `*.example.com` for a domain, which libcurl does not understand.
        static func matches(_ entry: String, _ origin: Origin) -> Bool {
            let port = ":\(origin.port)"
            let start = entry.hasSuffix(port) ? String(entry.dropLast(port.count)) : entry
            // The end of an IPv6 address without brackets is no port.
            let exception = start.contains(":") && !start.hasSuffix("]") ? entry : start
            if exception == "*" { return true }
            if let address = IPAddress(origin.host) {
                let parts = exception.split(separator: "/", maxSplits: 1).map(String.init)
                guard let network = parts.first.flatMap({ IPAddress($0.trimmingBrackets) }) else { return false }
                guard parts.count == 2 else { return network == address }
                guard let bits = Int(parts[1]) else { return false }
                return address.isIn(network, bits: bits)
            }
            let name = String(exception.lowercased().trimmingPrefix("*.")).trimmingDots
            let host = origin.host.trimmingDots
            return !name.isEmpty && (host == name || host.hasSuffix(".\(name)"))
        }
    }

    extension String {
        fileprivate var trimmingDots: String {
            String(trimmingPrefix(".").reversed().trimmingPrefix(".").reversed())
        }
    }
#endif
