#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl
    import Foundation

    /// A thread that carries out transfers, in the form that the rest of the library uses.
    ///
    /// The transport and every transfer hold this object. The thread ends when the last of them is released.
    final class CurlLoop: Sendable {
        let inbox = LoopInbox<CurlCommand>()
        private let core: CurlLoopCore
        let library: CurlLibrary
        let configuration: CurlTransport.Configuration
        let slots: ConnectionSlots
        let handles: CurlHandles
        let tls: CurlTLSOptions
        /// The codings that are decoded; `nil` if bodies are delivered as they arrive.
        let codings: ContentCodings?
        /// The header line that requests the codings that can be decoded.
        let acceptEncodingLine: String?
        /// The lines of a request that has no fields and no body.
        let plainHeaders: CurlHeaderList
        let names = NameResolver.system
        let proxies: CurlProxies
        /// Whether some requests go to another server than that of their URL.
        let hasDetours: Bool

        static var closed: NetKitError { closed(.notSent) }

        static func closed(_ outcome: NetKitError.Outcome) -> NetKitError {
            NetKitError(.closed, "The transport was shut down.", outcome: outcome)
        }

        static func noResources(_ what: String) -> NetKitError {
            let advice = "Raise the limits of open files and threads, or free memory."
            return NetKitError(.connect, "The system could not create the \(what). \(advice)", cause: LocalShortage())
        }

        static func cannotDo(_ what: String) -> NetKitError {
            NetKitError(.unsupported, "This libcurl does not take \(what), or there is no memory for it.")
        }

        init(library: CurlLibrary, configuration: CurlTransport.Configuration) throws(NetKitError) {
            self.library = library
            self.configuration = configuration
            tls = CurlTLSOptions(configuration.tls, library: library, environment: ProcessInfo.processInfo.environment)
            if let problem = tls.problem { throw NetKitError(.invalidConfiguration, "The TLS settings: \(problem).") }
            try configuration.checkPlaces()
            guard inbox.descriptor >= 0 else { throw Self.noResources("event descriptor") }
            guard let trial = CurlHandle(library) else { throw Self.noResources("memory for a transfer") }
            proxies = try CurlProxies(configuration.proxy, environment: ProcessInfo.processInfo.environment)
            // TLS settings that this libcurl does not support are reported now, and not at the first call.
            let proxyProblem = proxies.mayBeSecure ? tls.applyToProxies(of: trial.easy) : nil
            if let problem = tls.apply(to: trial.easy) ?? proxyProblem { throw Self.cannotDo(problem) }
            codings = try configuration.decodesContent ? ContentCodings.available : nil
            let acceptEncoding = codings.flatMap(\.acceptEncoding)
            acceptEncodingLine = acceptEncoding.map { "Accept-Encoding: \($0)" }
            plainHeaders = try CurlHeaderList(
                [CurlHeaderList.noAccept] + (acceptEncodingLine.map { [$0] } ?? []),
                library.functions
            )
            hasDetours = configuration.tls.serverName != nil || !configuration.addressOverrides.isEmpty
            slots = ConnectionSlots(
                bound: configuration.connections.maxTotal,
                perHost: configuration.connections.maxPerHost,
                sharesConnections: configuration.httpVersion.isHTTP2Allowed
            )
            handles = CurlHandles(library)
            let core = try CurlLoopCore(library: library, configuration: configuration, inbox: inbox)
            self.core = core
            guard SystemThread.start("netkit.curl", stackSize: nil, { core.run() }) else {
                core.closeConnections()
                throw Self.noResources("thread")
            }
        }

        /// The core as the context of libcurl's callbacks.
        var coreContext: UnsafeMutableRawPointer { Unmanaged.passUnretained(core).toOpaque() }

        /// Ends the running transfers, closes the connections, and ends the thread.
        func stop() async {
            inbox.post(.stop)
            try? await core.ending.value()
        }

        deinit { inbox.post(.stop) }
    }

    /// A command for a loop's thread.
    enum CurlCommand: Sendable {
        case start(CurlTransfer)
        /// Ends the exchange of a call that already has its result.
        case cancel(CurlTransfer)
        /// The reader has caught up.
        case resumeReceiving(CurlTransfer)
        /// A transfer that stopped in the middle of decoding has its next turn.
        case takeTurn(CurlTransfer)
        /// A stream has more to send.
        case resumeSending(CurlTransfer)
        /// A name has its addresses, or has none.
        case resolved(CurlTransfer, NameResolver.Lookup)
        /// A time limit may have expired.
        case check(CurlTransfer)
        /// The time limit of some transfer may have expired.
        case checkAll
        /// Refuses further commands, and ends everything that is running.
        case stop
    }
#endif
