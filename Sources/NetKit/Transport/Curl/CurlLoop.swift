#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl
    import Foundation

    /// A thread that carries out transfers, as the rest of the library sees it.
    ///
    /// The thread ends when the last who could start something is gone: the transport and every transfer hold this.
    final class CurlLoop: Sendable {
        let inbox: CurlInbox
        let library: CurlLibrary
        let configuration: CurlTransport.Configuration
        let handles: CurlHandlePool
        let tls: CurlTLSOptions
        /// What asks for the codings that can be taken off.
        let acceptEncodingLine: String?

        static var closed: NetKitError {
            NetKitError(.closed, "The transport was shut down.")
        }

        static func noResources(_ what: String) -> NetKitError {
            NetKitError(.unsupported, "The system gives no \(what): too many are open, or memory is short.")
        }

        init(library: CurlLibrary, configuration: CurlTransport.Configuration) throws(NetKitError) {
            self.library = library
            self.configuration = configuration
            tls = CurlTLSOptions(
                configuration.tls,
                library: library,
                environment: ProcessInfo.processInfo.environment
            )
            if let problem = tls.problem { throw NetKitError(.invalidConfiguration, "The TLS settings: \(problem).") }
            let codings = configuration.decodesContent ? ContentCodings.available.acceptEncoding : nil
            acceptEncodingLine = codings.map { "Accept-Encoding: \($0)" }
            inbox = try CurlInbox()
            handles = CurlHandlePool(library, bound: configuration.connections.total)
            let core = try CurlLoopCore(library: library, configuration: configuration, inbox: inbox)
            Thread { core.run() }.start()
        }

        deinit { inbox.post(.stop) }
    }
#endif
