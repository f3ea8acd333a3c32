#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl
    import Foundation

    /// One exchange of a `CurlTransport`.
    ///
    /// `@unchecked Sendable` at the bridge to C. What callers and the loop's thread share is behind `shared`. All else has
    /// one owner at a time: the caller until it hands the transfer over, under the inbox's lock; the loop's thread until it
    /// settles the transfer, under `shared`; then the caller again.
    final class CurlTransfer: @unchecked Sendable {
        private struct Shared {
            var waiter: CheckedContinuation<Void, Never>?
            var outcome: Outcome?
            var isSettled = false
            var stopReason: (any Error)?
            var alarm: ClockAlarm?
        }

        /// What the caller is told.
        enum Outcome {
            /// The head is there, and the body is on its way.
            case head(CurlHead, ExchangeTimings)
            /// The exchange is over, with libcurl's code.
            case over(Int32)
            case failed(any Error)
        }

        let request: HTTPRequest
        let origin: Origin?
        let context: RequestContext
        let handle: CurlHandle
        let loop: CurlLoop
        let pipe: BodyPipe?
        private let shared = Locked(Shared())

        // MARK: The loop's

        var head = CurlHead()
        var isHeadComplete = false
        var trailers = CurlTrailers()
        var body = Data()
        var decoder: ContentDecoder?
        var upload: CurlUpload
        var watch: ExchangeWatch?
        var isReceivingPaused = false
        var isSendingPaused = false
        /// Whether the pipe asked to wait.
        var isReaderBehind = false
        var isAdded = false
        /// The thread's core while the transfer is its.
        var core: CurlLoopCore?
        /// In which of the thread's wake-ups something arrived last.
        var lastWake = -1

        init(_ request: HTTPRequest, upload: CurlUpload, context: RequestContext, handle: CurlHandle, loop: CurlLoop) {
            self.request = request
            origin = Origin(request.url)
            self.context = context
            self.handle = handle
            self.loop = loop
            self.upload = upload
            guard context.delivery.isStreamed else {
                pipe = nil
                return
            }
            let link = CurlTransferLink()
            pipe = BodyPipe(
                onDrain: { link.withTransfer { $0.loop.inbox.post(.resumeReceiving($0)) } },
                onCancel: { reason in link.withTransfer { $0.stop(reason) } }
            )
            link.set(self)
        }

        // MARK: - The caller's

        /// Carries out the exchange, to the head where the body is streamed, else to the end.
        func run() async -> Outcome {
            setAlarm(after: firstCheck)
            await withTaskCancellationHandler {
                await withCheckedContinuation { waiter in
                    let isOver = shared.withLock { shared in
                        if !shared.isSettled { shared.waiter = waiter }
                        return shared.isSettled
                    }
                    if isOver { return waiter.resume() }
                    if !loop.inbox.post(.start(self)), settle(.failed(CurlLoop.closed)) {
                        loop.handles.giveBack(handle)
                    }
                }
            } onCancel: {
                stop(CancellationError())
            }
            return shared.withLock { shared in
                defer { shared.outcome = nil }
                return shared.outcome ?? .failed(CancellationError())
            }
        }

        /// Ends the exchange from outside; only the first reason counts.
        func stop(_ reason: any Error) {
            let isFirst = shared.withLock { shared in
                guard shared.stopReason == nil else { return false }
                shared.stopReason = reason
                return true
            }
            guard isFirst else { return }
            pipe?.fail(reason)
            // The handle stays the loop's until it has let go of it: a buffered call is settled there.
            if !loop.inbox.post(.cancel(self)) { settle(.failed(reason)) }
        }

        var stopReason: (any Error)? { shared.withLock { $0.stopReason } }

        /// Gives the caller what came out; false where he has something already.
        @discardableResult
        func settle(_ outcome: Outcome) -> Bool {
            let (waiter, isFirst) = shared.withLock { shared -> (CheckedContinuation<Void, Never>?, Bool) in
                guard !shared.isSettled else { return (nil, false) }
                (shared.isSettled, shared.outcome) = (true, outcome)
                defer { shared.waiter = nil }
                return (shared.waiter, true)
            }
            waiter?.resume()
            return isFirst
        }

        /// No limit can run out any more.
        func dropAlarm() {
            let alarm = shared.withLock { shared in
                defer { shared.alarm = nil }
                return shared.alarm
            }
            alarm?.cancel()
        }

        // MARK: - Limits

        /// After how long a limit may have run out at the earliest.
        private var firstCheck: Duration? {
            [context.timeouts.idle, context.timeouts.firstByte].compactMap { $0 }.min()
        }

        private func setAlarm(after delay: Duration?) {
            guard let delay else { return }
            let alarm = context.clock.schedule(at: context.clock.now.advanced(by: delay)) { [weak self] in
                guard let self else { return }
                self.loop.inbox.post(.check(self))
            }
            shared.withLock { $0.alarm = alarm }
        }

        /// Looks whether a limit has run out, and when to look again; on the loop's thread.
        func check() {
            let now = context.clock.now
            // A transfer that waits for its reader or for the caller's stream is not silent.
            if isReceivingPaused { watch?.noteReceived(at: now) }
            if isSendingPaused { watch?.noteSent(isEnd: false, at: now) }
            guard let watch else { return setAlarm(after: firstCheck) }
            guard let expiry = watch.expiry(at: now) else {
                return setAlarm(after: watch.nextCheck.map { now.duration(to: $0) })
            }
            stop(CurlFailure.timeout(expiry, outcome: context.attempt.outcome))
        }
    }

    /// Lets a pipe's callbacks reach the transfer without keeping it alive.
    private final class CurlTransferLink: Sendable {
        private struct Weak: Sendable {
            weak var transfer: CurlTransfer?
        }

        private let weak = Locked(Weak())

        func set(_ transfer: CurlTransfer) {
            weak.withLock { $0.transfer = transfer }
        }

        func withTransfer(_ body: (CurlTransfer) -> Void) {
            if let transfer = weak.withLock({ $0.transfer }) { body(transfer) }
        }
    }
#endif
