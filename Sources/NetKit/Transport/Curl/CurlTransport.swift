#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl
    import Foundation
    import Synchronization

    /// A transport that uses libcurl directly, which streams with backpressure and has none of `URLSession`'s traps.
    ///
    /// FoundationNetworking loads libcurl into every process that imports it, so this adds no dependency. The library
    /// is loaded at run time.
    public final class CurlTransport: IdentifiedTransport, CallBound, ConnectionCounting, AddressJudging {
        let loops: [CurlLoop]
        private let next = Atomic<Int>(0)
        /// Whether a shutdown has ended exchanges.
        private let hasEndedExchanges = Atomic<Bool>(false)
        private let library: CurlLibrary
        let identity: String?

        /// Creates a transport.
        ///
        /// - Parameters:
        ///   - configuration: The configuration of the transport.
        ///   - path: The path of a libcurl to use instead of that of the process or the system.
        /// - Throws: `.unsupported` if there is no libcurl, or only one that is older than 7.68 or does not support the
        ///   configuration, `.invalidConfiguration` if the configuration cannot be used, and `.connect` if the system
        ///   lacks file descriptors, threads or memory.
        public init(configuration: Configuration = Configuration(), library path: String? = nil) throws(NetKitError) {
            let found = path.map(CurlLibrary.find) ?? CurlLibrary.standard()
            switch found {
            case .success(let library): self.library = library
            case .failure(let error): throw error.transportError
            }
            var loops: [CurlLoop] = []
            for _ in 0..<min(max(1, configuration.loops), 64) {
                loops.append(try CurlLoop(library: library, configuration: configuration))
            }
            self.loops = loops
            identity = configuration.identity
        }

        /// The name of the transport and the version of libcurl, for `explain()`.
        public var summary: String { "CurlTransport over \(library.version.prefix { $0 != " " })" }

        /// The number of connections that carry an exchange.
        var connectionsInUse: Int { loops.reduce(0) { $0 + $1.slots.inUse } }

        /// Carries out one exchange.
        public func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
            context.attempt.noteConnecting()
            let start = context.clock.now
            let loop = loops[loops.count == 1 ? 0 : next.wrappingAdd(1, ordering: .relaxed).oldValue % loops.count]
            let upload = try CurlUpload.make(of: request.body)
            if case .stream(let feed) = upload, feed.length == 0 { try await Self.readToEnd(feed, context) }
            let address = CurlAddress(request.url)
            let slot = try loop.slots.takeIfFree(for: address.host)
            if slot == .none { try await loop.slots.takeWhenFree(for: address.host, context) }
            let transfer = CurlTransfer(
                request,
                to: address,
                upload: upload,
                context: context,
                loop: loop,
                start: start
            )
            transfer.opensConnection = slot == .opensConnection
            switch await transfer.run() {
            case .head: return transfer.streamedResponse()
            case .complete: return transfer.wholeResponse()
            case .failed(let error): throw error
            }
        }

        /// Reads a stream that announces no bytes, because libcurl would not ask for any, and throws if it has some.
        @inline(never)
        private static func readToEnd(_ feed: CurlUploadFeed, _ context: RequestContext) async throws {
            try await context.endingWithCall { _ = try await feed.body.collected() }
        }
    }

    extension CurlTransport {
        /// Refuses new exchanges, waits for those in flight, and ends the remaining ones with `.closed` after a bound.
        ///
        /// Then the connections are closed and the threads end.
        ///
        /// If this function is not called, the same happens when the last reference to the transport is released. Shut
        /// down the clients that use the transport first, so that their calls, including retries, end in order.
        ///
        /// - Parameters:
        ///   - bound: The maximum time for exchanges in flight.
        ///   - clock: The clock that measures the bound.
        /// - Returns: Whether every exchange ended by itself.
        @discardableResult
        public func shutdown(within bound: Duration = .seconds(30), clock: NetKitClock = .system) async -> Bool {
            let drained = Promise<Bool>()
            let busyLoops = Locked(loops.count)
            for loop in loops {
                loop.slots.close {
                    let isLast = busyLoops.withLock { count in
                        count -= 1
                        return count == 0
                    }
                    if isLast { drained.resolve(.success(true)) }
                }
            }
            let isDrained = await drained.value(or: false, after: bound, clock)
            if !isDrained { hasEndedExchanges.store(true, ordering: .relaxed) }
            for loop in loops { await loop.stop() }
            // Another shutdown, with a shorter bound, may have ended them.
            return !hasEndedExchanges.load(ordering: .relaxed)
        }
    }
#endif
