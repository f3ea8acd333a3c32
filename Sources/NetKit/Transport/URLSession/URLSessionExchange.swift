import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One exchange of a `URLSessionTransport`, which turns the events of the delegate into one response.
final class URLSessionExchange: Sendable {
    private struct State: ~Copyable {
        var waiter: CheckedContinuation<Void, Never>?
        var isSettled = false
        /// The result until the caller takes it; a body that stayed here would never be recognized as abandoned.
        var result: Result<HTTPResponse, any Error>?
        var task: URLSessionTask?
        var watch: IdleTimeout?
        var alarm: ClockAlarm?
        var start: NetKitClock.Instant?
        var head: HTTPURLResponse?
        var firstByte: NetKitClock.Instant?
        var collected = Data()
        var sentByteCount: Int64 = 0
        var stopReason: (any Error)?
        var isTaskCancelled = false
        var isOver = false
    }

    private let request: SessionRequest
    private let engine: SessionEngine
    private let context: RequestContext
    private let readAheadBound: Int
    private let ticket: ConnectionGate.Ticket
    private let pipe: BodyPipe?
    private let state = Locked(State())

    init(
        _ request: consuming SessionRequest,
        origin: Origin,
        engine: SessionEngine,
        context: RequestContext,
        readAheadBound: Int
    ) {
        self.request = request
        self.engine = engine
        self.context = context
        self.readAheadBound = readAheadBound
        ticket = engine.gate.ticket(for: origin)
        let exchange = WeakBox<URLSessionExchange>()
        pipe = context.delivery.isStreamed ? BodyPipe(maxBytes: .max, onCancel: { exchange.object?.cancel($0) }) : nil
        exchange.set(self)
    }

    // MARK: - Running the exchange

    func run() async throws -> HTTPResponse {
        await withTaskCancellationHandler {
            await withCheckedContinuation { begin($0) }
        } onCancel: {
            cancel(CancellationError())
        }
        guard let result = state.withLock({ $0.result.take() }) else { throw CancellationError() }
        return try result.get()
    }

    private func begin(_ waiter: CheckedContinuation<Void, Never>) {
        let isOver = state.withLock { state in
            if !state.isSettled { state.waiter = waiter }
            return state.isSettled
        }
        if isOver { return waiter.resume() }
        // Not on the thread of the task: Foundation makes a task on a queue that all sessions share, and may be busy.
        let start: @Sendable () -> Void = { self.engine.perform(for: self.ticket) { self.start() } }
        if engine.gate.enter(ticket, start: start) { start() }
    }

    /// Gives the caller the result; only the first result counts.
    ///
    /// The result passes through the state and not through the continuation, so that the state's lock orders all access
    /// to it.
    private func settle(_ result: Result<HTTPResponse, any Error>) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.isSettled else { return nil }
            (state.isSettled, state.result) = (true, result)
            return state.waiter.take()
        }
        waiter?.resume()
    }

    /// Ends the exchange.
    ///
    /// This function causes the only call of the task's `cancel()`: a second call, or one that races with `resume()`,
    /// traps on Linux.
    func cancel(_ reason: any Error) {
        let isFirst = state.withLock { state in
            guard state.stopReason == nil, !state.isOver else { return false }
            state.stopReason = reason
            return true
        }
        guard isFirst else { return }
        engine.perform(for: ticket) { self.cancelTask() }
        pipe?.fail(reason)
        settle(.failure(reason))
    }

    // MARK: - The task

    /// Creates and resumes the task, unless the exchange was already cancelled; runs on a queue of the engine.
    private func start() {
        // An exchange that was cancelled before it entered the gate has already left it, and has to leave again.
        guard state.withLock({ $0.stopReason == nil }) else { return engine.gate.leave(ticket) }
        let task: URLSessionTask
        do {
            let urlRequest = try request.urlRequest()
            task = engine.makeTask(urlRequest, for: self, onOwnConnection: request.needsOwnConnection)
        } catch {
            return cancel(error)
        }
        let now = context.clock.now
        // From here on, Foundation does not report its progress, so it is unknown what leaves this machine. This is
        // noted before the check below, so that a later cancellation finds it.
        context.attempt.noteSending()
        let maySend = state.withLock { state in
            state.task = task
            guard state.stopReason == nil else { return false }
            state.start = now
            let hasBody = (request.body?.length ?? 0) > 0
            state.watch = IdleTimeout(timeouts: context.timeouts, hasBody: hasBody, start: now)
            return true
        }
        // Otherwise `cancelTask()` waits for this queue, and cancels a task that was never resumed.
        guard maySend else { return }
        setAlarm()
        task.resume()
    }

    private func cancelTask() {
        let task = state.withLock { state -> URLSessionTask? in
            state.alarm?.cancel()
            guard !state.isOver, !state.isTaskCancelled, let task = state.task else { return nil }
            state.isTaskCancelled = true
            return task
        }
        task?.cancel()
        engine.gate.leave(ticket)
    }

    // MARK: - The limits

    private func setAlarm() {
        guard let next = state.withLock({ $0.watch?.nextCheck }) else { return }
        let alarm = context.clock.scheduleWakeUp(at: next) { self.check() }
        let unneeded = state.withLock { state -> ClockAlarm? in
            // The end of the request may have set an earlier alarm meanwhile.
            let isLate = state.watch?.nextCheck.map { $0 < next } ?? false
            guard !state.isOver, state.stopReason == nil, !isLate else { return alarm }
            return exchange(&state.alarm, with: alarm)
        }
        unneeded?.cancel()
    }

    private func check() {
        let now = context.clock.now
        guard let expiry = state.withLock({ $0.watch?.expiry(at: now) }) else { return setAlarm() }
        cancel(expiry.error(outcome: context.attempt.outcome))
    }
}

// MARK: - Events of the delegate

extension URLSessionExchange {
    /// Whether the task was or is being cancelled.
    var isCancelling: Bool { state.withLock { $0.isTaskCancelled } }

    /// Refuses a challenge; the task then delivers the 401 with its body, and ends as cancelled.
    func refuseChallenge(_ refuse: @escaping @Sendable () -> Void) {
        engine.perform(for: ticket) { [self] in
            let isFirst = state.withLock { !exchange(&$0.isTaskCancelled, with: true) && !$0.isOver }
            if isFirst { refuse() }
        }
    }

    func didSend(_ byteCount: Int64) {
        context.attempt.noteSent(byteCount)
        let now = context.clock.now
        let length = request.body?.length ?? 0
        let isEnd = state.withLock { state in
            state.sentByteCount = state.sentByteCount.addingSaturated(byteCount)
            let isEnd = state.sentByteCount >= length
            state.watch?.noteSent(isEnd: isEnd, at: now)
            return isEnd
        }
        // The wait for the first byte begins here, and may end before the time of the alarm.
        if isEnd, context.timeouts.firstByte != nil { setAlarm() }
    }

    func didReceive(_ head: HTTPURLResponse) {
        // An informational response is not the final one.
        guard head.statusCode >= 200 || head.statusCode == 101 else { return }
        context.attempt.noteAnswered()
        if let name = Self.invalidFieldName(of: head) {
            let message = "The server's response breaks the protocol: \(name) has a control character."
            return cancel(NetKitError(.invalidResponse, message, outcome: .answered))
        }
        let now = context.clock.now
        let length = declaredLength(head)
        state.withLock { state in
            state.head = head
            state.firstByte = now
            state.watch?.noteReceived(at: now)
        }
        if let pipe {
            settle(.success(response(head, body: ResponseBody(length: length, source: pipe))))
        } else if let limit = context.delivery.maxBufferedBytes, let length, length > Int64(limit),
            HTTPStatus(head.statusCode).isSuccess
        {
            cancel(ResponseBody.tooLarge(limit, declared: length, response: errorResponse(Data())))
        }
    }

    /// Returns the name of a field whose value has a control character, if there is one.
    private static func invalidFieldName(of head: HTTPURLResponse) -> String? {
        for (name, value) in head.allHeaderFields {
            guard let name = name as? String, let value = value as? String else { continue }
            if RequestValidation.hasControlCharacter(value) { return name }
        }
        return nil
    }

    func didReceive(_ data: Data) {
        let now = context.clock.now
        let isStopped = state.withLock { state in
            guard state.stopReason == nil else { return true }
            state.watch?.noteReceived(at: now)
            return false
        }
        // Data that arrives before Foundation has ended the transfer is ignored, which has to be quick: a fast server
        // would otherwise keep the queue of all sessions busy, and the end of the transfer waits for that queue.
        guard !isStopped else { return }
        if let pipe {
            pipe.offer(data)
            if pipe.pendingByteCount > readAheadBound { cancel(Self.readerBehind(readAheadBound)) }
            return
        }
        let delivery = context.delivery
        let (begun, limit) = state.withLock { state -> (Data?, Int) in
            let limit = state.head.flatMap { delivery.maxBufferedBytes(of: HTTPStatus($0.statusCode)) } ?? .max
            guard data.count > limit - state.collected.count else {
                state.collected.append(data)
                return (nil, limit)
            }
            return (exchange(&state.collected, with: Data()), limit)
        }
        guard let begun else { return }
        let room = min(limit, NetKitError.Response.defaultMaxBodyBytes)
        let kept = begun.prefix(room) + data.prefix(max(0, room - begun.count))
        cancel(ResponseBody.tooLarge(limit, declared: nil, response: errorResponse(kept)))
    }

    /// Returns the response for an error, with the first part of the body, which may give the reason for a refusal.
    private func errorResponse(_ body: Data) -> NetKitError.Response? {
        guard let head = state.withLock({ $0.head }) else { return nil }
        let response = HTTPResponse(head: head, body: .empty)
        let kept = Data(body.prefix(NetKitError.Response.defaultMaxBodyBytes))
        return NetKitError.Response(status: response.status, headers: response.headers, body: kept, isTruncated: true)
    }

    func didComplete(_ error: (any Error)?, head taskHead: HTTPURLResponse?) {
        // The delegate is not told of a redirect without a usable target; only the task has it.
        if error == nil, let taskHead, state.withLock({ $0.head == nil && $0.stopReason == nil }) {
            didReceive(taskHead)
        }
        let (head, body, isWaitedFor, stopReason) = state.withLock { state in
            state.isOver = true
            state.alarm?.cancel()
            state.task = nil
            return (state.head, state.collected, !state.isSettled, state.stopReason)
        }
        engine.gate.leave(ticket)
        guard stopReason == nil else { return }
        let isRefusedChallenge = (error as? URLError)?.code == .cancelled && head != nil
        if let head, error == nil || isRefusedChallenge {
            pipe?.finish()
            // Otherwise, the caller has a body already.
            guard isWaitedFor else { return }
            settle(.success(response(head, body: ResponseBody(body))))
        } else {
            let message = "The transfer ended without a response. Check the server and any proxy before it."
            let failure: any Error = error ?? NetKitError(.invalidResponse, message, outcome: .unknown)
            pipe?.fail(failure)
            settle(.failure(failure))
        }
    }

    #if canImport(FoundationNetworking)
        /// Returns the request's body from its start, each time that the session asks for it.
        func makeBodyStream() -> InputStream? {
            guard let source = request.body, source.length > 0 else { return nil }
            return BodyInputStream(source) { [weak self] in self?.cancel($0) }
        }

        /// Returns the body for a repetition by libcurl itself, if a reused connection has closed before the response.
        ///
        /// The server may have acted by then, so a request that must not be repeated ends here, with a stream that
        /// cannot be read.
        func makeBodyStreamAgain() -> InputStream? {
            guard request.request.isRepeatable else {
                cancel(NetKitError.lostBeforeResponse(outcome: context.attempt.outcome))
                return BodyInputStream(nil) { _ in }
            }
            context.attempt.noteSentAgain(from: 0)
            let now = context.clock.now
            state.withLock { state in
                state.sentByteCount = 0
                state.watch?.noteSent(isEnd: false, at: now)
            }
            return makeBodyStream()
        }
    #endif

    private func response(_ head: HTTPURLResponse, body: ResponseBody) -> HTTPResponse {
        var response = HTTPResponse(head: head, body: body)
        let (start, firstByte, sent) = state.withLock { ($0.start, $0.firstByte, $0.sentByteCount) }
        if let start, let firstByte { response.timings.firstByte = start.duration(to: firstByte) }
        response.timings.bytesSent = sent
        return response
    }

    /// Returns the length of the body, which is unknown if Foundation decodes a content coding or joins chunks.
    private func declaredLength(_ head: HTTPURLResponse) -> Int64? {
        guard HTTPStatus(head.statusCode).mayHaveBody(respondingTo: request.request.method) else { return 0 }
        let isCoded = ["Content-Encoding", "Transfer-Encoding"].contains { head.value(forHTTPHeaderField: $0) != nil }
        guard !isCoded, head.expectedContentLength >= 0 else { return nil }
        return head.expectedContentLength
    }

    private static func readerBehind(_ bound: Int) -> NetKitError {
        let message = "The reader fell \(bound) bytes behind, and URLSession cannot be paused. "
        let hint = "Read faster, raise `limits.maxReadAhead`, or use another transport."
        return NetKitError(.bodyTooLarge, message + hint, outcome: .answered)
    }
}
