#if canImport(Glibc) || canImport(Musl)
    extension CurlTransport {
        /// What a transport is made from.
        public struct Configuration: Sendable {
            /// The bounds of the connection pool.
            public var connections = Connections()
            /// How many threads carry out transfers; each has a pool of its own.
            public var loops = 1
            /// Which versions of HTTP are spoken.
            public var httpVersion = HTTPVersion.automatic

            /// Whom to trust, and who to be, over TLS.
            public var tls = TLS()
            /// Through which proxy to go; through none unless said otherwise.
            public var proxy = Proxy.none
            /// A unix domain socket to connect to, whatever the URL's host.
            public var unixSocketPath: String?
            /// Addresses of hosts that are not to be asked for, by the host's name in lower case.
            public var addressOverrides: [String: String] = [:]
            /// Whether gzip, deflate, br and zstd are asked for and taken off.
            public var decodesContent = true

            /// Makes a configuration with every default.
            public init() {}

            /// Who it is to servers, and where it finds them instead of where their names say; nil for the usual.
            var identity: String? {
                let places = addressOverrides.orderedByKey.map { "\($0.key)=\($0.value)" }
                let parts =
                    [tls.identity?.certificatePath, tls.identity?.keyPath, unixSocketPath].map { $0 ?? "" } + places
                return parts.allSatisfy(\.isEmpty) ? nil : parts.joined(separator: "\n")
            }
        }

        /// The bounds of the connection pool; each loop has its own.
        public struct Connections: Hashable, Sendable {
            /// How many connections may be open; 0 is no bound.
            public var total: Int
            /// How many may be open to one host; 0 is no bound.
            public var perHost: Int
            /// How many are kept while they are idle.
            public var idle: Int
            /// How long a connection may be idle and is used again.
            public var idleTime: Duration
            /// How old a connection may become and is used again, so that a client follows a change of addresses.
            public var maximumAge: Duration
            /// How long the addresses of a name are remembered.
            public var nameCacheTime: Duration

            /// Makes bounds; what is not named has its default.
            public init(
                total: Int = 1024,
                perHost: Int = 256,
                idle: Int = 256,
                idleTime: Duration = .seconds(60),
                maximumAge: Duration = .seconds(600),
                nameCacheTime: Duration = .seconds(60)
            ) {
                self.total = total
                self.perHost = perHost
                self.idle = idle
                self.idleTime = idleTime
                self.maximumAge = maximumAge
                self.nameCacheTime = nameCacheTime
            }
        }

        /// Which versions of HTTP are spoken.
        public struct HTTPVersion: Hashable, Sendable {
            let isHTTP2Allowed: Bool

            /// HTTP/2 where the server agrees to it over TLS, else HTTP/1.1.
            public static let automatic = HTTPVersion(isHTTP2Allowed: true)
            /// HTTP/1.1 only.
            public static let http11 = HTTPVersion(isHTTP2Allowed: false)
        }
    }
#endif
