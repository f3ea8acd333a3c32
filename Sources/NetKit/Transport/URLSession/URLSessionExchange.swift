import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One exchange of a `URLSessionTransport`: what the delegate reports goes in, one response comes out.
final class URLSessionExchange: Sendable {
    private struct State {
        var continuation: CheckedContinuation<HTTPResponse, any Error>?
        var head: HTTPURLResponse?
        var firstByte: NetKitClock.Instant?
        var collected = Data()
        var stopReason: (any Error)?
        var isTaskCancelled = false
        var isOver = false
    }

    /// How many bytes may wait for a reader that is slower than the network before the call is ended.
    private static let streamBound = 64 << 20

    let task: URLSessionTask
    private let control: DispatchQueue
    private let context: RequestContext
    private let start: NetKitClock.Instant
    private let pipe: BodyPipe?
    private let state = Locked(State())

    init(task: URLSessionTask, control: DispatchQueue, context: RequestContext) {
        self.task = task
        self.control = control
        self.context = context
        start = context.clock.now
        let canceller = Canceller()
        pipe = context.delivery.isStreamed ? BodyPipe(capacity: .max, onCancel: { canceller.cancel($0) }) : nil
        canceller.exchange.withLock { $0 = WeakExchange(self) }
    }

    func run() async throws -> HTTPResponse {
        try await withCheckedThrowingContinuation { continuation in
            let stopReason = state.withLock { state -> (any Error)? in
                guard state.stopReason == nil else { return state.stopReason }
                state.continuation = continuation
                return nil
            }
            if let stopReason { return continuation.resume(throwing: stopReason) }
            // From here on Foundation does not tell how far it is: what leaves this machine is unknown.
            context.attempt.noteSending()
            control.async { [self] in task.resume() }
        }
    }

    /// Ends the exchange.
    ///
    /// The one owner of the task's `cancel()`: a second one, or one that races `resume()`, traps on Linux.
    func cancel(_ reason: any Error) {
        let (continuation, isFirst) = state.withLock { state -> (CheckedContinuation<HTTPResponse, any Error>?, Bool) in
            guard state.stopReason == nil, !state.isOver else { return (nil, false) }
            state.stopReason = reason
            defer { state.continuation = nil }
            return (state.continuation, true)
        }
        guard isFirst else { return }
        control.async { [self] in
            let isRunning = state.withLock { state in
                if !state.isOver { state.isTaskCancelled = true }
                return !state.isOver
            }
            if isRunning { task.cancel() }
        }
        pipe?.fail(reason)
        continuation?.resume(throwing: reason)
    }

    /// Refuses a redirect, which makes it the answer: its head comes as that of any other does.
    ///
    /// Not for a task that was cancelled: on Linux that traps, as does a cancel between the redirect and its refusal.
    func refuseRedirect(_ refuse: @escaping @Sendable () -> Void) {
        control.async { [self] in
            if !state.withLock({ $0.isTaskCancelled }) { refuse() }
        }
    }

    func didReceive(_ head: HTTPURLResponse) {
        context.attempt.noteAnswered()
        let now = context.clock.now
        let continuation = state.withLock { state -> CheckedContinuation<HTTPResponse, any Error>? in
            state.head = head
            state.firstByte = now
            guard pipe != nil else { return nil }
            defer { state.continuation = nil }
            return state.continuation
        }
        if let pipe {
            continuation?.resume(
                returning: response(head, body: ResponseBody(length: declaredLength(head), source: pipe))
            )
        }
        if let limit = context.delivery.bufferLimit, let length = declaredLength(head), length > Int64(limit) {
            cancel(ResponseBody.tooLarge(limit, declared: length))
        }
    }

    func didReceive(_ data: Data) {
        if let pipe {
            pipe.offer(data)
            if pipe.pendingByteCount > Self.streamBound {
                cancel(ResponseBody.tooLarge(Self.streamBound, declared: nil))
            }
            return
        }
        let limit = context.delivery.bufferLimit ?? .max
        let isTooLarge = state.withLock { state in
            guard data.count <= limit - state.collected.count else { return true }
            state.collected.append(data)
            return false
        }
        if isTooLarge { cancel(ResponseBody.tooLarge(limit, declared: nil)) }
    }

    func didComplete(_ error: (any Error)?) {
        let (continuation, head, body) = state.withLock {
            state -> (CheckedContinuation<HTTPResponse, any Error>?, HTTPURLResponse?, Data) in
            state.isOver = true
            defer { state.continuation = nil }
            return (state.continuation, state.head, state.collected)
        }
        // A challenge that is refused gives the 401 with its body first, and only then reports itself as cancelled.
        let isRefusedChallenge = (error as? URLError)?.code == .cancelled && head != nil
        if let error, !isRefusedChallenge {
            pipe?.fail(error)
            continuation?.resume(throwing: error)
        } else if let pipe {
            pipe.finish()
            continuation?.resume(throwing: NetKitError(.invalidResponse, "The answer had no head.", outcome: .unknown))
        } else if let head {
            continuation?.resume(returning: response(head, body: ResponseBody(body)))
        } else {
            continuation?.resume(throwing: NetKitError(.invalidResponse, "The answer had no head.", outcome: .unknown))
        }
    }

    private func response(_ head: HTTPURLResponse, body: ResponseBody) -> HTTPResponse {
        var response = HTTPResponse(head: head, body: body)
        response.timings.firstByte = state.withLock { $0.firstByte }.map { start.duration(to: $0) }
        return response
    }

    /// Foundation decodes content codings, so the length is only known where there is none.
    private func declaredLength(_ head: HTTPURLResponse) -> Int64? {
        guard head.value(forHTTPHeaderField: "Content-Encoding") == nil, head.expectedContentLength >= 0 else {
            return nil
        }
        return head.expectedContentLength
    }
}

/// Lets the pipe's cancel reach the exchange without keeping it alive.
private final class Canceller: Sendable {
    let exchange = Locked<WeakExchange?>(nil)

    func cancel(_ reason: any Error) {
        exchange.withLock { $0?.exchange }?.cancel(reason)
    }
}

private struct WeakExchange: Sendable {
    weak var exchange: URLSessionExchange?

    init(_ exchange: URLSessionExchange) {
        self.exchange = exchange
    }
}
