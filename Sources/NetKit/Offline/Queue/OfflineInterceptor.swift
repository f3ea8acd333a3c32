import Foundation

/// Puts requests that cannot be sent into a queue: only those that say so, and only into the queue it was given.
///
/// ```swift
/// let client = HTTPClient(baseURL: base, interceptors: .standard + [OfflineInterceptor(queue)])
/// await queue.attach(client)
/// var options = CallOptions(idempotencyKey: .automatic)
/// options.tags[Deferrable.self] = Deferrable(lane: "orders")
/// do {
///     _ = try await client.send(request, options: options)
/// } catch let error as NetKitError where error.code == .queued {
///     print(error.receipt?.id)
/// }
/// ```
/// A request whose outcome is unknown, because it may have arrived, is queued only with the `Idempotency-Key` it was sent
/// with. While its lane holds entries, a request is queued behind them: sent, it would overtake them.
public struct OfflineInterceptor: Interceptor {
    private let queue: OfflineQueue

    /// Makes an interceptor over a queue.
    public init(_ queue: OfflineQueue) {
        self.queue = queue
    }

    /// The offline stage.
    public var stage: Stage { .offline }

    /// What it does, in words.
    public var summary: String { "queues deferrable requests that cannot be sent" }

    /// Passes the request on, and puts it into the queue where that failed.
    public func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        guard !context.call.isReplay, let deferrable = context.tags[Deferrable.self] else {
            return try await next(request, context)
        }
        if await queue.hasPending(in: deferrable.lane) {
            let reason = "Entries of its lane are waiting, which it must not overtake."
            throw try await queued(request, deferrable, context, reason: reason, cause: nil)
        }
        do {
            return try await next(request, context)
        } catch let error as NetKitError where Self.mayQueue(request, after: error) {
            throw try await queued(request, deferrable, context, reason: error.message, cause: error)
        }
    }

    /// Whether a request that failed could not be sent, and sending it later cannot do it twice.
    static func mayQueue(_ request: HTTPRequest, after error: NetKitError) -> Bool {
        let codes: Set<NetKitError.Code> = [
            .offline, .dns, .connect, .connectionLost, .timeout, .circuitOpen, .rateLimited, .invalidResponse,
        ]
        guard codes.contains(error.code), request.body?.canReplay != false else { return false }
        switch error.outcome {
        case .notSent: return true
        case .unknown: return request.headers["Idempotency-Key"]?.isEmpty == false
        default: return false
        }
    }

    private func queued(
        _ request: HTTPRequest,
        _ deferrable: Deferrable,
        _ context: RequestContext,
        reason: String,
        cause: NetKitError?
    ) async throws -> NetKitError {
        let entry = QueuedRequest(
            request,
            lane: deferrable.lane,
            priority: deferrable.priority,
            expiresAt: deferrable.expiresAfter.map { context.clock.date.addingTimeInterval($0.inSeconds) },
            maxAttempts: deferrable.maxAttempts,
            coalescingKey: deferrable.coalescingKey,
            coalescing: deferrable.coalescing,
            baseETag: deferrable.baseETag
        )
        let receipt = try await queue.enqueue(entry)
        return NetKitError(
            .queued,
            "The request was put into the offline queue. \(reason)",
            outcome: cause?.outcome ?? .notSent,
            cause: QueuedCall(receipt: receipt, failure: cause)
        )
    }
}

extension OfflineQueue {
    /// Whether anything of a lane waits or is being sent.
    func hasPending(in lane: String) -> Bool { book.hasPending(in: lane) }
}
