import NetKit
public import Testing

/// Runs tests that need more than a moment of the machine after those that need less.
///
/// `swift test` begins all tests together. Without this trait, a test with real sockets and limits in seconds would
/// find the threads busy with the thousands of others, and the quick tests would wait for the few that compute for
/// seconds. The time limit of such a test begins with its turn, where that of `timeLimit` would count the time in line
/// as well.
public struct MachineTrait: TestTrait, SuiteTrait, TestScoping {
    fileprivate let need: Machine.Need
    fileprivate let limit: Duration

    public var isRecursive: Bool { true }

    public func scopeProvider(for test: Test, testCase: Test.Case?) -> MachineTrait? { testCase == nil ? nil : self }

    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        await Machine.shared.enter(need)
        defer { Machine.shared.leave(need) }
        try await withoutActuallyEscaping(function) { function in
            try await withThrowingTaskGroup { group in
                group.addTask { try await function() }
                group.addTask {
                    guard (try? await Task.sleep(for: limit)) != nil else { return }
                    Issue.record("The test has not ended \(limit) after its turn came.")
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }
}

extension Trait where Self == MachineTrait {
    /// Runs a test only while the machine has time for it, and for five minutes at most.
    public static var needsTheMachine: MachineTrait { needsTheMachine(for: .seconds(300)) }

    /// Runs a test only while the machine has time for it, and cancels it if it takes longer than a limit.
    public static func needsTheMachine(for limit: Duration) -> MachineTrait {
        MachineTrait(need: .machine, limit: limit)
    }

    /// Runs a test that mostly sleeps, such as until a real lease ends, beside those that need the machine, and cancels
    /// it after five minutes.
    public static var mostlySleeps: MachineTrait {
        MachineTrait(need: .time, limit: .seconds(300))
    }

    /// Runs a test that computes for seconds after the quick ones, and cancels it if it takes longer than a limit.
    public static func computes(for limit: Duration) -> MachineTrait {
        MachineTrait(need: .processor, limit: limit)
    }
}

/// The lines of the tests that need more than a moment of the machine.
private final class Machine: Sendable {
    /// The resource that a test waits for.
    enum Need {
        /// Much time of a processor, at any speed.
        case processor
        /// A machine on which tasks start at once.
        case machine
        /// Seconds that pass; the test needs hardly any time of a processor.
        case time
    }

    static let shared = Machine()
    /// The number of tests that need the machine and run side by side.
    private static let width = 9
    /// The number of tests that mostly sleep and run side by side.
    private static let sleepingWidth = 60
    /// The delay of a thread above which the machine counts as busy.
    private static let patience = Duration.milliseconds(20)

    private struct State {
        var free = Machine.width
        var freeSleeping = Machine.sleepingWidth
        var isWatched = false
        /// Flags that open the line of the tests that compute, and those of the tests that need the machine or sleep.
        var isOpen = (processor: false, machine: false)
        /// The number of tests that compute, in line and at work.
        var computingCount = 0
        var computing: [CheckedContinuation<Void, Never>] = []
        var waiting: [CheckedContinuation<Void, Never>] = []
        var sleeping: [CheckedContinuation<Void, Never>] = []

        mutating func admitNext() -> CheckedContinuation<Void, Never>? {
            if isOpen.processor, let next = computing.popLast() { return next }
            guard isOpen.machine else { return nil }
            if freeSleeping > 0, let next = sleeping.popLast() {
                freeSleeping -= 1
                return next
            }
            guard free > 0, !waiting.isEmpty else { return nil }
            free -= 1
            return waiting.removeFirst()
        }
    }

    private let state = Locked(State())

    func enter(_ need: Need) async {
        await withCheckedContinuation { continuation in
            let isFirst = state.withLock { state in
                switch need {
                case .processor:
                    state.computingCount += 1
                    state.computing.append(continuation)
                case .machine: state.waiting.append(continuation)
                case .time: state.sleeping.append(continuation)
                }
                defer { state.isWatched = true }
                return !state.isWatched
            }
            if isFirst { Task { await open() } }
            admit()
        }
    }

    func leave(_ need: Need) {
        state.withLock { state in
            switch need {
            case .processor: state.computingCount -= 1
            case .machine: state.free += 1
            case .time: state.freeSleeping += 1
            }
        }
        admit()
    }

    private func admit() {
        while let next = state.withLock({ $0.admitNext() }) { next.resume() }
    }

    /// Opens the line of the tests that compute after the quick tests have ended, and the other lines after those of
    /// the first.
    private func open() async {
        await quiet()
        state.withLock { $0.isOpen.processor = true }
        admit()
        // A suite whose tests run one by one has none in line for a moment.
        repeat { await quiet() } while state.withLock { $0.computingCount > 0 }
        state.withLock { $0.isOpen.machine = true }
        admit()
    }

    /// Waits until a task gets a thread at once.
    private func quiet() async {
        var count = 0
        while count < 3 {
            try? await Task.sleep(for: .milliseconds(100))
            let start = ContinuousClock.now
            await Task {}.value
            count = ContinuousClock.now - start < Self.patience ? count + 1 : 0
        }
    }
}
