// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

// Names of settings that other HTTP clients have. The compiler says what to write.

#if canImport(Glibc) || canImport(Musl)
    public import Foundation

    extension CurlTransport {
        @available(*, unavailable, renamed: "init(configuration:library:)")
        @_alwaysEmitIntoClient public convenience init(_ configuration: Configuration) throws(NetKitError) {
            try self.init()
        }
        @available(
            *,
            unavailable,
            message:
                "Pass a configuration: CurlTransport(configuration: configuration), with configuration.proxy and configuration.tls."
        )
        @_alwaysEmitIntoClient public convenience init(proxy: Proxy, tls: TLS = TLS()) throws(NetKitError) {
            try self.init()
        }
        @available(
            *,
            unavailable,
            message:
                "Pass a configuration: CurlTransport(configuration: configuration), with configuration.proxy and configuration.tls."
        )
        @_alwaysEmitIntoClient public convenience init(tls: TLS) throws(NetKitError) { try self.init() }
        @available(
            *,
            unavailable,
            message:
                "Pass a configuration: CurlTransport(configuration: configuration), with configuration.proxy and configuration.tls."
        )
        @_alwaysEmitIntoClient public convenience init(proxy: URL) throws(NetKitError) { try self.init() }
    }

    extension CurlTransport.Configuration {
        @available(
            *,
            unavailable,
            message:
                "Set its properties: var configuration = CurlTransport.Configuration(); configuration.proxy = .environment."
        )
        @_alwaysEmitIntoClient public init(
            connections: CurlTransport.Connections = CurlTransport.Connections(),
            httpVersion: CurlTransport.HTTPVersion = .automatic,
            tls: CurlTransport.TLS = CurlTransport.TLS(),
            proxy: CurlTransport.Proxy = .none
        ) { self.init() }

        @available(*, unavailable, renamed: "connections.maxPerHost")
        @_alwaysEmitIntoClient public var maxConnectionsPerHost: Int {
            get { connections.maxPerHost }
            set { _ = newValue }
        }

        @available(*, unavailable, renamed: "connections")
        @_alwaysEmitIntoClient public var connectionPool: CurlTransport.Connections {
            get { connections }
            set { _ = newValue }
        }

        @available(*, unavailable, renamed: "unixSocketPath")
        @_alwaysEmitIntoClient public var unixSocket: String? {
            get { unixSocketPath }
            set { _ = newValue }
        }

        @available(*, unavailable, renamed: "addressOverrides")
        @_alwaysEmitIntoClient public var dns: [String: String] {
            get { addressOverrides }
            set { _ = newValue }
        }
    }

    extension CurlTransport.Proxy {
        @available(
            *,
            unavailable,
            message: "Write .url(url) with the URL of the proxy, such as http://proxy.example.com:3128."
        )
        @_alwaysEmitIntoClient public static func http(host: String, port: Int) -> CurlTransport.Proxy { .none }
        @available(
            *,
            unavailable,
            message: "Write .url(url) with the URL of the proxy, such as http://proxy.example.com:3128."
        )
        @_alwaysEmitIntoClient public static func server(host: String, port: Int) -> CurlTransport.Proxy { .none }
    }

    extension CurlTransport.TLS {
        @available(
            *,
            unavailable,
            message: "Set its properties: var tls = CurlTransport.TLS(); tls.roots = .file(path)."
        )
        @_alwaysEmitIntoClient public init(
            roots: CurlTransport.Roots = .system,
            verification: CurlTransport.Verification = .full,
            identity: CurlTransport.Identity? = nil,
            minVersion: CurlTransport.Version = .tls12,
            pins: [String] = []
        ) { self.init() }
        @available(
            *,
            unavailable,
            message:
                "Write verification = .insecure for no verification, or roots = .file(path) for an authority of your own."
        )
        @_alwaysEmitIntoClient public var verify: Bool {
            get { true }
            set { _ = newValue }
        }

        @available(*, unavailable, renamed: "verification")
        @_alwaysEmitIntoClient public var certificateVerification: CurlTransport.Verification {
            get { verification }
            set { _ = newValue }
        }

        @available(*, unavailable, renamed: "roots")
        @_alwaysEmitIntoClient public var trustRoots: CurlTransport.Roots {
            get { roots }
            set { _ = newValue }
        }

        @available(*, unavailable, message: "Write roots = .file(path).")
        @_alwaysEmitIntoClient public var ca: String? {
            get { nil }
            set { _ = newValue }
        }

        @available(*, unavailable, renamed: "minVersion")
        @_alwaysEmitIntoClient public var minimumTLSVersion: CurlTransport.Version {
            get { minVersion }
            set { _ = newValue }
        }

        @available(*, unavailable, renamed: "identity")
        @_alwaysEmitIntoClient public var clientCertificate: CurlTransport.Identity? {
            get { identity }
            set { _ = newValue }
        }

        @available(*, unavailable, renamed: "identity")
        @_alwaysEmitIntoClient public var certificate: CurlTransport.Identity? {
            get { identity }
            set { _ = newValue }
        }

        @available(*, unavailable, message: "Set pins, the hashes of public keys: pins = [\"sha256//…\"].")
        @_alwaysEmitIntoClient public var pinnedCertificates: [String] {
            get { pins }
            set { _ = newValue }
        }
    }

    extension CurlTransport.Verification {
        @available(*, unavailable, renamed: "insecure")
        @_alwaysEmitIntoClient public static var none: CurlTransport.Verification { .insecure }
    }

    extension CurlTransport.Version {
        @available(*, unavailable, renamed: "tls12")
        @_alwaysEmitIntoClient public static var v1_2: CurlTransport.Version { .tls12 }
        @available(*, unavailable, renamed: "tls13")
        @_alwaysEmitIntoClient public static var v1_3: CurlTransport.Version { .tls13 }
        @available(*, unavailable, renamed: "tls12")
        @_alwaysEmitIntoClient public static var tlsv12: CurlTransport.Version { .tls12 }
        @available(*, unavailable, renamed: "tls13")
        @_alwaysEmitIntoClient public static var tlsv13: CurlTransport.Version { .tls13 }
    }

    extension CurlTransport.Connections {
        @available(*, unavailable, message: "Write maxTotal: for all hosts, or maxPerHost: for each.")
        @_alwaysEmitIntoClient public init(maxConnections: Int) { self.init(maxTotal: maxConnections) }
        @available(*, unavailable, renamed: "idleTime")
        @_alwaysEmitIntoClient public var idleTimeout: Duration {
            get { idleTime }
            set { _ = newValue }
        }
    }

    extension CurlTransport.HTTPVersion {
        @available(
            *,
            unavailable,
            message: "Write .automatic: HTTP/2 if the server agrees to it over TLS, otherwise HTTP/1.1."
        )
        @_alwaysEmitIntoClient public static var http2: CurlTransport.HTTPVersion { .automatic }
        @available(*, unavailable, renamed: "http11")
        @_alwaysEmitIntoClient public static var http1Only: CurlTransport.HTTPVersion { .http11 }
    }

    extension CurlTransport.Identity {
        @available(*, unavailable, renamed: "init(certificatePath:keyPath:passphrase:)")
        @_alwaysEmitIntoClient public init(certificate: String, key: String, passphrase: String? = nil) {
            self.init(certificatePath: certificate, keyPath: key)
        }
    }

    extension HTTPClient.Configuration {
        @available(
            *,
            unavailable,
            message: "Create the transport with it: CurlTransport(configuration:) has the settings of TLS."
        )
        @_alwaysEmitIntoClient public var tls: CurlTransport.TLS {
            get { CurlTransport.TLS() }
            set { _ = newValue }
        }

        @available(
            *,
            unavailable,
            message: "Create the transport with it: CurlTransport(configuration:) has the bounds of connections."
        )
        @_alwaysEmitIntoClient public var connectionPool: CurlTransport.Connections {
            get { CurlTransport.Connections() }
            set { _ = newValue }
        }

        @available(
            *,
            unavailable,
            message: "Create the transport with it: CurlTransport(configuration:) has the version of HTTP."
        )
        @_alwaysEmitIntoClient public var httpVersion: CurlTransport.HTTPVersion {
            get { .automatic }
            set { _ = newValue }
        }
    }

    extension Transport where Self == CurlTransport {
        @available(*, unavailable, message: "Create it: transport: try CurlTransport().")
        @_alwaysEmitIntoClient public static var curl: CurlTransport { get throws { try CurlTransport() } }
    }
#endif
