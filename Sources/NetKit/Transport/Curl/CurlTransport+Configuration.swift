#if canImport(Glibc) || canImport(Musl)
    import Foundation

    extension CurlTransport {
        /// The configuration of a libcurl transport.
        public struct Configuration: Sendable {
            /// The bounds of the connection pool.
            public var connections = Connections()
            /// The number of threads that carry out transfers; each has a pool of its own.
            ///
            /// On a few cores, one is the fastest. Use several for thousands of open connections.
            public var loops = 1
            /// The versions of HTTP.
            public var httpVersion = HTTPVersion.automatic

            /// The trusted authorities and the client certificate.
            public var tls = TLS()
            /// The proxy for requests; none by default.
            public var proxy = Proxy.none
            /// The path of a Unix domain socket to connect to, regardless of the URL's host.
            public var unixSocketPath: String?
            /// The IP addresses of hosts that are not resolved, separated by commas.
            ///
            /// The key is the name of the host in lower case.
            public var addressOverrides: [String: String] = [:]
            /// Whether gzip, deflate, br and zstd are requested and decoded.
            public var decodesContent = true

            /// Creates a configuration with every default.
            public init() {}

            /// Throws an error if the path of the socket, an address or the URL of the proxy cannot be used.
            package func check() throws(NetKitError) {
                try checkPlaces()
                _ = try CurlProxies(proxy, environment: [:])
            }

            /// Throws an error if the path of the socket or an address cannot be used.
            ///
            /// libcurl would report them at each call, as if the host had no address or the connection had been lost.
            func checkPlaces() throws(NetKitError) {
                // A zero byte would end the path. libcurl would take an empty one for none, and connect to the host.
                let size = MemoryLayout.size(ofValue: sockaddr_un().sun_path)
                if let path = unixSocketPath?.utf8, !(1..<size).contains(path.count) || path.contains(0) {
                    let problem = "is empty, is longer than \(size - 1) bytes, or has a zero byte"
                    throw NetKitError(.invalidConfiguration, "The path of the Unix domain socket \(problem).")
                }
                for (host, addresses) in addressOverrides
                where !addresses.split(separator: ",", omittingEmptySubsequences: false).allSatisfy(Self.isAddress) {
                    let advice = "Name IP addresses, separated by commas."
                    throw NetKitError(.invalidConfiguration, "The address of \(host) is \"\(addresses)\". \(advice)")
                }
            }

            /// Returns whether libcurl takes a text for an IP address, unlike `127.1` or an address with a zone.
            private static func isAddress(_ text: Substring) -> Bool {
                let text = String(text).trimmingBrackets
                var bytes = [UInt8](repeating: 0, count: 16)
                return [AF_INET, AF_INET6].contains { inet_pton($0, text, &bytes) == 1 }
            }

            /// The identity presented to servers: certificate, server name, socket and address overrides; `nil` for the
            /// default one.
            var identity: String? {
                let places = addressOverrides.orderedByKey.map { "\($0.key)=\($0.value)" }
                let parts =
                    [tls.identity?.certificatePath, tls.identity?.keyPath, unixSocketPath, tls.serverName]
                    .map { $0 ?? "" } + places
                return parts.allSatisfy(\.isEmpty) ? nil : parts.joined(separator: "\n")
            }
        }

        /// The bounds of the connection pool; each loop has its own.
        public struct Connections: Hashable, Sendable {
            /// The maximum number of open connections; 0 sets no bound.
            public var maxTotal: Int
            /// The maximum number of open connections to one host; 0 sets no bound.
            public var maxPerHost: Int
            /// The maximum number of idle connections; 0 closes each connection after its last exchange.
            public var maxIdle: Int
            /// The maximum idle time after which a connection is still reused.
            public var idleTime: Duration
            /// The maximum age at which an idle connection is still reused, so that a client follows a change of
            /// addresses.
            ///
            /// An HTTP/2 connection that always carries an exchange is never idle, so it is not bounded by this age.
            public var maxAge: Duration
            /// The time for which the addresses of a name are kept.
            public var nameCacheTime: Duration

            /// Creates bounds.
            public init(
                maxTotal: Int = 1024,
                maxPerHost: Int = 256,
                maxIdle: Int = 256,
                idleTime: Duration = .seconds(60),
                maxAge: Duration = .seconds(600),
                nameCacheTime: Duration = .seconds(60)
            ) {
                self.maxTotal = maxTotal
                self.maxPerHost = maxPerHost
                self.maxIdle = maxIdle
                self.idleTime = idleTime
                self.maxAge = maxAge
                self.nameCacheTime = nameCacheTime
            }
        }

        /// The versions of HTTP that a transport uses.
        public struct HTTPVersion: Hashable, Sendable {
            let isHTTP2Allowed: Bool

            /// HTTP/2 if the server agrees to it over TLS, otherwise HTTP/1.1.
            public static let automatic = HTTPVersion(isHTTP2Allowed: true)
            /// HTTP/1.1 only.
            public static let http11 = HTTPVersion(isHTTP2Allowed: false)
        }
    }
#endif
