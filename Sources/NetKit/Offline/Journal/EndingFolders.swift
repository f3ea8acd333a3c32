import Dispatch

/// The folders whose queues were let go without being closed, while their threads still close them.
///
/// Whoever opens such a folder waits for that instead of finding it locked.
final class EndingFolders: Sendable {
    static let shared = EndingFolders()

    private struct State {
        var counts: [String: Int] = [:]
        var waiters: [(folder: String, semaphore: DispatchSemaphore)] = []
    }

    private let state = Locked(State())

    private init() {}

    func begin(_ folder: String) {
        state.withLock { $0.counts[folder, default: 0] += 1 }
    }

    func end(_ folder: String) {
        let woken = state.withLock { state -> [DispatchSemaphore] in
            let left = (state.counts[folder] ?? 1) - 1
            state.counts[folder] = left > 0 ? left : nil
            guard left <= 0 else { return [] }
            defer { state.waiters.removeAll { $0.folder == folder } }
            return state.waiters.filter { $0.folder == folder }.map(\.semaphore)
        }
        for semaphore in woken { semaphore.signal() }
    }

    /// Blocks until a folder is closed, and returns whether there was something to wait for.
    func wait(for folder: String) -> Bool {
        let semaphore = state.withLock { state -> DispatchSemaphore? in
            guard state.counts[folder] != nil else { return nil }
            let semaphore = DispatchSemaphore(value: 0)
            state.waiters.append((folder, semaphore))
            return semaphore
        }
        semaphore?.wait()
        return semaphore != nil
    }
}
