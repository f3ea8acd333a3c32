import Foundation

/// Calls the session's delegate at once, on the session's own queue.
///
/// On Linux every event of an exchange would otherwise pass through an `Operation` and another thread; with three events
/// for a small answer that costs more than the rest of the exchange. What runs here must not wait, and must not call
/// anything on a task that waits for the session's queue: `cancel()` and `resume()` do.
///
/// `@unchecked Sendable`, as its Foundation superclass is, whose own lock guards what it has; this adds no state.
final class InlineOperationQueue: OperationQueue, @unchecked Sendable {
    override func addOperation(_ block: @escaping @Sendable () -> Void) {
        block()
    }
}
