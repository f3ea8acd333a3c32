#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl
    import CNetKitSystem
    import Foundation

    /// One exchange of a `CurlTransport`.
    ///
    /// `@unchecked Sendable` because of its C pointers. The lock of `shared` guards the state that callers and the loop
    /// share. All other state has one owner at a time: the caller until it hands the transfer over, under the inbox's
    /// lock; the loop's thread until the transfer is settled, under `shared`; then the caller again. If the body is
    /// still arriving, the caller then owns only `head`, `headTimings` and `pipe`, which no longer change; the loop
    /// owns the rest to the end.
    final class CurlTransfer: CallCancellation.Waiter, @unchecked Sendable {
        private struct Shared: ~Copyable {
            var waiter: UnsafeContinuation<Void, Never>?
            var outcome: Outcome?
            var isSettled = false
            var stopReason: (any Error)?
            var alarm: ClockAlarm?
        }

        /// The result for the caller.
        enum Outcome {
            /// The head has arrived, and the body is arriving.
            case head
            /// The whole body has arrived.
            case complete
            case failed(any Error)
        }

        let method: HTTPMethod
        let isRepeatable: Bool
        let url: URL
        let fields: [HTTPHeaders.Field]
        let context: RequestContext
        let clock: NetKitClock
        /// Whether `clock` is the system's, stored because each piece that arrives needs it.
        let isOnSystemClock: Bool
        let attempt: Attempt
        let address: CurlAddress
        let loop: CurlLoop
        /// The time at which the transfer was requested.
        let start: NetKitClock.Instant
        private let shared = Locked(Shared())

        // MARK: State of the loop

        // The state has one owner at a time, so the exclusivity checks, at a hundred accesses, are switched off.

        /// The handle, which the caller takes, and has back once a buffered response has arrived.
        @exclusivity(unchecked) var handle: CurlHandle?
        @exclusivity(unchecked) var head = CurlHead()
        @exclusivity(unchecked) var isHeadComplete = false
        /// Whether the caller gets the response before its body has arrived, unless the body arrives in the same
        /// wake-up.
        @exclusivity(unchecked) var opensBody = false
        /// The pipe of a body that arrives later than its head.
        @exclusivity(unchecked) var pipe: BodyPipe?
        /// The durations up to the head, if there is a pipe.
        @exclusivity(unchecked) var headTimings = ExchangeTimings()
        @exclusivity(unchecked) var trailers = CurlLines()
        @exclusivity(unchecked) var body = CurlBody()
        /// The bytes that have arrived and are not in the pipe yet.
        @exclusivity(unchecked) var chunkBuffer = CurlChunkBuffer()
        @exclusivity(unchecked) var isNotedAsPending = false
        @exclusivity(unchecked) var decoder: ContentDecoder?
        @exclusivity(unchecked) var turn = DecodingTurn()
        @exclusivity(unchecked) var upload: CurlUpload
        @exclusivity(unchecked) var watch: IdleTimeout?
        /// The number of bytes of the request's body that were handed to libcurl, without chunked framing.
        @exclusivity(unchecked) var sentCount: Int64 = 0
        @exclusivity(unchecked) var isReceivingPaused = false
        @exclusivity(unchecked) var isSendingPaused = false
        /// Whether the pipe asked to wait.
        @exclusivity(unchecked) var isReaderBehind = false
        @exclusivity(unchecked) var isAdded = false
        /// Whether libcurl has had the handle for the transfer; until then, the handle has the times of the last one.
        @exclusivity(unchecked) var hasBegun = false
        /// Whether libcurl is freeing the bytes that arrived during a pause, which must not be delivered any more.
        @exclusivity(unchecked) var isDropping = false
        /// The sockets that were opened for the transfer and are not known to be its connection yet.
        @exclusivity(unchecked) var openedSockets: [Int32] = []
        /// The system's error for the last socket that the transfer asked for; 0 if it was created.
        @exclusivity(unchecked) var socketError: Int32 = 0
        /// Whether the request may have been sent before the last connection was made or chosen.
        @exclusivity(unchecked) var wasSentBefore = false
        /// The socket of its connection, if it is known.
        @exclusivity(unchecked) var descriptor: Int32?
        /// The number of turns that libcurl has made in one wake-up while it waited for a proxy, and the time of that
        /// wake-up.
        @exclusivity(unchecked) var busyTurns = 0
        @exclusivity(unchecked) var busySince: NetKitClock.Instant?
        @exclusivity(unchecked) var delivery = UploadDelivery()
        /// The number under which a refusal by the server is recorded; 0 if the transfer opened no secure connection.
        @exclusivity(unchecked) var secureNumber: UInt32 = 0
        /// The number under which the end of TLS is recorded; 0 if the end of the body does not depend on it.
        @exclusivity(unchecked) var closingNumber: UInt32 = 0
        /// Whether the transfer must not use its connection, and begins again on another one.
        @exclusivity(unchecked) var hasToMove = false
        /// Whether other calls to the host wait for the connection of this one.
        @exclusivity(unchecked) var opensConnection = false
        /// The state of resolving the names of servers.
        @exclusivity(unchecked) var naming = CurlNaming()
        /// The number of times that the transfer moved to another connection.
        @exclusivity(unchecked) var moves = 0
        /// The loop's core, which is set only while the core holds the transfer.
        @exclusivity(unchecked) var core: Unmanaged<CurlLoopCore>?
        /// The position among the loop's transfers.
        @exclusivity(unchecked) var place = 0

        init(
            _ request: borrowing HTTPRequest,
            to address: CurlAddress,
            upload: CurlUpload,
            context: RequestContext,
            loop: CurlLoop,
            start: NetKitClock.Instant
        ) {
            method = request.method
            isRepeatable = request.isRepeatable
            url = request.url
            fields = request.headers.fields
            self.address = address
            self.context = context
            self.loop = loop
            self.start = start
            self.upload = upload
            clock = context.clock
            isOnSystemClock = clock.isSystem
            attempt = context.attempt
        }

        // MARK: - Functions for the caller

        /// Carries out the exchange, up to the head if the body is streamed, otherwise to the end.
        func run() async -> Outcome {
            if let error = prepare() { return .failed(error) }
            await withTaskCancellationHandler {
                await settled()
            } onCancel: {
                stop(CancellationError())
            }
            return takeOutcome()
        }

        // The functions before and after the wait are not inlined: a waiting call would hold their memory.

        /// Sets up the handle; returns an error if libcurl refuses one of its options.
        @inline(never)
        private func prepare() -> NetKitError? {
            handle = loop.handles.take()
            if let handle {
                do throws(NetKitError) {
                    try configure(handle)
                } catch {
                    handle.needsReset = true
                    releaseHandle()
                    loop.slots.giveBack(address.host)
                    return error
                }
                head.take(&handle.room)
                body.take(&handle.room)
            }
            context.call.addWaiter(self)
            return nil
        }

        @inline(never)
        private func takeOutcome() -> Outcome {
            context.call.removeWaiter(self)
            return shared.withLock { $0.outcome.take() } ?? .failed(CancellationError())
        }

        /// Begins the transfer, and returns once it is settled.
        private func settled() async {
            // Resumed once, when the transfer is first settled.
            await withUnsafeContinuation { waiter in
                let isOver = shared.withLock { shared in
                    if !shared.isSettled { shared.waiter = waiter }
                    return shared.isSettled
                }
                if !isOver, loop.inbox.post(.start(self)) { return }
                // The loop has never had the transfer.
                loop.slots.giveBack(address.host)
                if isOver { waiter.resume() } else { settle(.failed(CurlLoop.closed)) }
            }
        }

        /// Gives the handle back, from which no times are read any more.
        func releaseHandle() {
            if let handle { loop.handles.giveBack(handle) }
            handle = nil
        }

        /// Ends the exchange from outside; only the first reason counts.
        func stop(_ reason: any Error) {
            let isFirst = shared.withLock { shared in
                guard shared.stopReason == nil else { return false }
                shared.stopReason = reason
                return true
            }
            guard isFirst else { return }
            // The loop has to release the handle first, and then settles the transfer.
            if !loop.inbox.post(.cancel(self)) { settle(.failed(reason)) }
        }

        var stopReason: (any Error)? { shared.withLock { $0.stopReason } }

        /// Gives the caller the result; only the first result counts.
        func settle(_ outcome: Outcome) {
            let waiter = shared.withLock { shared -> UnsafeContinuation<Void, Never>? in
                guard !shared.isSettled else { return nil }
                (shared.isSettled, shared.outcome) = (true, outcome)
                return shared.waiter.take()
            }
            if let waiter { withCore { $0.resumptions.append(waiter) } ?? waiter.resume() }
        }

        /// Makes the loop check the limits again at an instant, instead of at the one that was set before.
        func setAlarm(at instant: NetKitClock.Instant?) {
            guard let instant else { return }
            let alarm = clock.scheduleWakeUp(at: instant) { [weak self] in
                guard let self else { return }
                self.loop.inbox.post(.check(self))
            }
            let former = shared.withLock { exchange(&$0.alarm, with: alarm) }
            former?.cancel()
        }

        /// Cancels the alarm, because no limit can expire any more.
        func dropAlarm() {
            shared.withLock { $0.alarm.take() }?.cancel()
        }
    }
#endif
