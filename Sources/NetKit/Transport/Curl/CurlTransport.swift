#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl
    import Foundation
    import Synchronization

    /// A transport over libcurl, driven directly: streaming with backpressure, and none of `URLSession`'s traps.
    ///
    /// FoundationNetworking loads libcurl into every process that imports it, so this adds no dependency. The library is
    /// found while the process runs.
    public final class CurlTransport: IdentifiedTransport, EndsWithCall, ConnectionCounting,
        AddressJudging
    {
        let loops: [CurlLoop]
        private let next = Atomic<Int>(0)
        private let library: CurlLibrary
        let identity: String?

        /// Creates a transport.
        ///
        /// - Parameters:
        ///   - configuration: What it is made from.
        ///   - path: The path of a libcurl to use instead of the one that the process has or the system finds.
        /// - Throws: `.unsupported` if there is no libcurl, or only one older than 7.68.
        public init(configuration: Configuration = Configuration(), library path: String? = nil) throws(NetKitError) {
            let found = path.map(CurlLibrary.find) ?? CurlLibrary.standard
            switch found {
            case .success(let library): self.library = library
            case .failure(let error): throw NetKitError(.unsupported, "libcurl cannot be used. \(error.reason)")
            }
            var loops: [CurlLoop] = []
            for _ in 0..<min(max(1, configuration.loops), 64) {
                loops.append(try CurlLoop(library: library, configuration: configuration))
            }
            self.loops = loops
            identity = configuration.identity
        }

        /// The name and version, for `explain()`.
        public var summary: String { "CurlTransport over \(library.version.prefix { $0 != " " })" }

        /// The number of connections that carry an exchange.
        var connectionsInUse: Int { loops.reduce(0) { $0 + $1.places.inUse } }

        /// Carries out one exchange.
        public func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
            context.attempt.noteConnecting()
            let start = context.clock.now
            let loop = loops[loops.count == 1 ? 0 : next.wrappingAdd(1, ordering: .relaxed).oldValue % loops.count]
            let upload = try CurlUpload.make(of: request.body)
            if try !loop.places.takeIfFree() { try await loop.places.takeWhenFree(context) }
            let transfer = CurlTransfer(request, upload: upload, context: context, loop: loop, start: start)
            switch await transfer.run() {
            case .head: return transfer.streamedResponse()
            case .complete: return transfer.bufferedResponse()
            case .failed(let error): throw error
            }
        }
    }

    extension CurlTransport {
        /// Lets no new exchange begin, waits for those in flight, and ends what is left after a bound with `.closed`; then
        /// closes the connections and ends the threads.
        ///
        /// Without it, the same happens with the last reference to the transport. Shut down the clients that send
        /// over it first: their calls end in order then, retries and all.
        ///
        /// - Parameters:
        ///   - bound: How long exchanges in flight may take.
        ///   - clock: What the bound is measured with.
        /// - Returns: Whether every exchange ended by itself.
        @discardableResult
        public func shutdown(within bound: Duration = .seconds(30), clock: NetKitClock = .system) async -> Bool {
            let drained = Promise<Bool>()
            let busyLoops = Locked(loops.count)
            for loop in loops {
                loop.places.close {
                    let isLast = busyLoops.withLock { count in
                        count -= 1
                        return count == 0
                    }
                    if isLast { drained.end(.success(true)) }
                }
            }
            let isDrained = await drained.isKept(within: bound, clock)
            for loop in loops { await loop.stop() }
            return isDrained
        }
    }
#endif
