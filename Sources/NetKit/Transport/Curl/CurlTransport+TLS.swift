#if canImport(Glibc) || canImport(Musl)
    public import Foundation

    extension CurlTransport {
        /// The trusted authorities and the client certificate.
        public struct TLS: Sendable {
            /// The trusted authorities.
            public var roots = Roots.system
            /// The certificate and key to present when a server asks for one.
            public var identity: Identity?
            /// The allowed public keys of the server, each as `sha256//` and the key's hash in Base64; if empty, any
            /// key.
            ///
            /// A pin is compared with the key of the server's own certificate, and not with that of an authority.
            public var pins: [String] = []
            /// The oldest version of TLS that is used.
            public var minVersion = Version.tls12
            /// The newest version of TLS that is used; `nil` allows the newest available.
            public var maxVersion: Version?
            /// The server name to request and to expect in the certificate, if it is not the URL's host.
            public var serverName: String?
            /// The verification of certificates; without it, any machine can impersonate the server.
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
            /// Returns the authorities of a PEM text.
            public static func pem(_ text: Data) -> Roots { Roots(source: .pem(text)) }
        }

        /// A client's certificate and key in PEM files, which are read again for each connection.
        public struct Identity: Hashable, Sendable {
            /// The path of the certificate file, in which intermediate certificates follow the client's own.
            public var certificatePath: String
            /// The path of the key.
            public var keyPath: String
            /// The passphrase of the key, if it has one.
            public var passphrase: String?

            /// Creates an identity from its files.
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

            /// Verification of the issuer, the dates and the name.
            public static let full = Verification(isOn: true)
            /// No verification: any machine on the network path can read and change everything.
            public static let insecure = Verification(isOn: false)
        }

        /// The proxy for requests.
        public struct Proxy: Hashable, Sendable {
            enum Source: Hashable {
                case none, environment
                case url(String, exceptHosts: [String])
            }

            let source: Source

            /// No proxy, regardless of the environment.
            public static let none = Proxy(source: .none)
            /// The proxy that `HTTPS_PROXY`, `http_proxy`, `ALL_PROXY` and `NO_PROXY` name.
            public static let environment = Proxy(source: .environment)
            /// Returns a proxy with a URL of the scheme http, https, socks4, socks4a, socks5 or socks5h.
            ///
            /// The proxy resolves the names of servers, except with socks4 and socks5. Requests to `localhost` go
            /// through the proxy as well, as with the command curl, and a proxy that resolves the name takes it for its
            /// own machine. Browsers make an exception; here, add the host to `exceptHosts`. An entry with a port, such
            /// as `example.com:8443`, is for that port only.
            public static func url(_ url: URL, exceptHosts: [String] = []) -> Proxy {
                Proxy(source: .url(url.absoluteString, exceptHosts: exceptHosts))
            }
        }
    }

    extension CurlTransport.Identity: CustomStringConvertible, CustomReflectable {
        /// The paths of the files, without the passphrase.
        public var description: String { "certificate \(certificatePath), key \(keyPath)" }

        /// A mirror without the passphrase, for `dump` and test reports.
        public var customMirror: Mirror {
            Mirror(self, children: ["certificatePath": certificatePath, "keyPath": keyPath])
        }
    }

    extension CurlTransport.Proxy: CustomStringConvertible, CustomReflectable {
        /// The source of the proxy, with the user and the password of a URL masked.
        public var description: String {
            switch source {
            case .none: "none"
            case .environment: "environment"
            // Without a scheme, it would not be known where the user and the password are.
            case .url(let url, _): Redaction.standard.redacted(urlText: url.contains("//") ? url : "http://\(url)")
            }
        }

        /// A mirror without the password, for `dump` and test reports.
        public var customMirror: Mirror { Mirror(self, children: ["source": description]) }
    }
#endif
