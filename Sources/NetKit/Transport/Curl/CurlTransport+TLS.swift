#if canImport(Glibc) || canImport(Musl)
    public import Foundation

    extension CurlTransport {
        /// The trusted authorities and the client certificate.
        public struct TLS: Sendable {
            /// The trusted authorities.
            public var roots = Roots.system
            /// The certificate and key to answer with when a server asks for one.
            public var identity: Identity?
            /// Public keys of which the server's has to be one, each as `sha256//` and the key's hash in Base64.
            public var pins: [String] = []
            /// The oldest version of TLS that is spoken.
            public var minimumVersion = Version.tls12
            /// The newest version of TLS that is spoken; without, the newest there is.
            public var maximumVersion: Version?
            /// The name to ask for and to look for in the certificate, if it is not the URL's host.
            public var serverName: String?
            /// Whether certificates are looked at; without, anybody can be the server.
            public var verification = Verification.full

            /// Creates settings with every default.
            public init() {}
        }

        /// A set of trusted authorities.
        public struct Roots: Hashable, Sendable {
            enum Source: Hashable {
                case system
                case file(String)
                case pem(Data)
            }

            let source: Source

            /// The system's authorities, or those that `SSL_CERT_FILE` and `SSL_CERT_DIR` name.
            public static let system = Roots(source: .system)
            /// Returns the authorities of a PEM file, which is read again within a minute after it changed.
            public static func file(_ path: String) -> Roots { Roots(source: .file(path)) }
            /// The authorities of a PEM text.
            public static func pem(_ text: Data) -> Roots { Roots(source: .pem(text)) }
        }

        /// A client's certificate and key in PEM files, which are read again for each connection.
        public struct Identity: Hashable, Sendable {
            /// The path of the certificate, with those between it and the authority after it.
            public var certificatePath: String
            /// The path of the key.
            public var keyPath: String
            /// The passphrase of the key, if it has one.
            public var passphrase: String?

            /// Names the files.
            public init(certificatePath: String, keyPath: String, passphrase: String? = nil) {
                self.certificatePath = certificatePath
                self.keyPath = keyPath
                self.passphrase = passphrase
            }
        }

        /// A version of TLS.
        public struct Version: Hashable, Sendable {
            /// The number of the version in libcurl.
            let number: Int

            /// TLS 1.2.
            public static let tls12 = Version(number: 6)
            /// TLS 1.3.
            public static let tls13 = Version(number: 7)
        }

        /// The strictness with which certificates are verified.
        public struct Verification: Hashable, Sendable {
            let isOn: Bool

            /// Issuer, dates and name.
            public static let full = Verification(isOn: true)
            /// No verification: everybody on the way can read and change everything.
            public static let noneAtAllIKnowThatThisIsInsecure = Verification(isOn: false)
        }

        /// Through which proxy to go.
        public struct Proxy: Hashable, Sendable {
            enum Source: Hashable {
                case none
                case environment
                case url(String, exceptHosts: [String])
            }

            let source: Source

            /// Through none, whatever the environment says.
            public static let none = Proxy(source: .none)
            /// The proxy that `HTTPS_PROXY`, `http_proxy`, `ALL_PROXY` and `NO_PROXY` name.
            public static let environment = Proxy(source: .environment)
            /// Through the proxy of a URL with the scheme http, https, socks5 or socks5h (which resolves names itself).
            public static func url(_ url: URL, exceptHosts: [String] = []) -> Proxy {
                Proxy(source: .url(url.absoluteString, exceptHosts: exceptHosts))
            }
        }
    }
#endif
