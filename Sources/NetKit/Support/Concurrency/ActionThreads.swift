import Dispatch

/// Threads for actions that can reach code of users, such as a cancellation handler.
///
/// One thread carries out the actions in order while each is quick, which nearly all are. If it makes no progress for a
/// moment, other threads join it. A slow action then holds up only its own thread. No thread joins before those that
/// were started have begun: on a machine without a free processor, it would only take more time from the others.
final class ActionThreads: Sendable {
    static let shared = ActionThreads()

    /// The time without progress after which another thread starts.
    private static let patience = Duration.milliseconds(1)

    private struct State: ~Copyable {
        var waiting = WaitingLine<@Sendable () -> Void>()
        /// The number of actions that were added, and of those that began.
        var addedCount = 0
        var begunCount = 0
        var threadCount = 0
        /// The number of threads that were started and have not begun.
        var startingCount = 0
        /// Whether an alarm is set that checks the progress of the threads.
        var isWatched = false
    }

    private let bound: Int
    private let clock: NetKitClock
    private let startThread: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let state = Locked(State())

    /// Creates threads, up to a bound.
    ///
    /// Dispatch has 255 at most for the whole process. Each thread has a queue of its own: Dispatch gives serial queues
    /// a thread at once, and keeps concurrent ones waiting while as many threads as there are cores are blocked.
    init(
        bound: Int = 128,
        clock: NetKitClock = .system,
        startThread: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = {
            DispatchQueue(label: "netkit.actions").async(execute: $0)
        }
    ) {
        (self.bound, self.clock, self.startThread) = (bound, clock, startThread)
    }

    /// The number of threads that carry out actions.
    var threadCount: Int { state.withLock { $0.threadCount } }

    /// Carries out an action on another thread.
    func run(_ action: @escaping @Sendable () -> Void) {
        let (isFirst, mayWatch) = state.withLock { state in
            state.addedCount &+= 1
            state.waiting.append(state.addedCount, action)
            if state.threadCount == 0 {
                (state.threadCount, state.startingCount) = (1, 1)
                return (true, false)
            }
            return (false, !exchange(&state.isWatched, with: true))
        }
        if isFirst { start(1) }
        if mayWatch { watch() }
    }

    /// Starts threads that were counted already.
    private func start(_ count: Int) {
        for _ in 0..<count { startThread { [self] in work() } }
    }

    private func work() {
        state.withLock { $0.startingCount -= 1 }
        while let action = state.withLock({ Self.takeNext(&$0) }) { action() }
    }

    private static func takeNext(_ state: inout State) -> (@Sendable () -> Void)? {
        guard let (_, action) = state.waiting.popFirst() else {
            state.threadCount -= 1
            return nil
        }
        state.begunCount &+= 1
        return action
    }

    private func watch() {
        let begunCount = state.withLock { $0.begunCount }
        _ = clock.scheduleWakeUp(at: clock.now.advanced(by: Self.patience)) { [self] in look(since: begunCount) }
    }

    /// Checks the progress of the threads since a number of actions had begun.
    private func look(since begunCount: Int) {
        let (joining, goesOn) = state.withLock { state -> (Int, Bool) in
            guard !state.waiting.isEmpty else {
                state.isWatched = false
                return (0, false)
            }
            guard state.begunCount == begunCount, state.startingCount == 0 else { return (0, true) }
            // Twice as many each time, so that hundreds of slow actions are not begun one by one.
            let joining = min(max(1, state.threadCount), bound - state.threadCount, state.waiting.count)
            state.threadCount += joining
            state.startingCount = joining
            return (joining, true)
        }
        start(joining)
        if goesOn { watch() }
    }
}
