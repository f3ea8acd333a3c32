@testable import NetKit

/// Code that ignores cancellation until it is released.
final class Stubborn: Sendable {
    private let waiter = Locked<CheckedContinuation<Void, Never>?>(nil)
    let runs = Notebook<Bool>()
    private let arrival = AsyncStream.makeStream(of: Void.self)

    func wait() async {
        await withCheckedContinuation { continuation in
            waiter.withLock { $0 = continuation }
            arrival.continuation.yield()
        }
        runs.add(Task.isCancelled)
    }

    /// Waits until the code has begun.
    func begun() async {
        for await _ in arrival.stream { return }
    }

    func release() {
        waiter.withLock { $0.take() }?.resume()
    }
}
