import Synchronization
public import Testing

/// Runs tests that use the clock of the machine, or much of its time, a few at a time and only while tasks start at once.
///
/// `swift test` begins all tests together. Without this trait, a test with real sockets and limits in seconds would find
/// the threads busy with the thousands of others. The time limit of such a test begins with its turn, where that of
/// `timeLimit` would count the time in line as well.
public struct MachineTrait: TestTrait, SuiteTrait, TestScoping {
    fileprivate let limit: Duration

    public var isRecursive: Bool { true }

    public func scopeProvider(for test: Test, testCase: Test.Case?) -> MachineTrait? { testCase == nil ? nil : self }

    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        await Machine.shared.enter()
        defer { Machine.shared.leave() }
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
    public static func needsTheMachine(for limit: Duration) -> MachineTrait { MachineTrait(limit: limit) }
}

/// The line of the tests that need the machine.
private final class Machine: Sendable {
    static let shared = Machine()
    /// The number of tests that run side by side.
    private static let width = 6
    /// A task that has to wait longer for a thread finds the machine busy.
    private static let patience = Duration.milliseconds(20)

    private struct State {
        var free = Machine.width
        var isOpen = false
        var isWatched = false
        var waiting: [CheckedContinuation<Void, Never>] = []

        mutating func admitNext() -> CheckedContinuation<Void, Never>? {
            guard isOpen, free > 0, !waiting.isEmpty else { return nil }
            free -= 1
            return waiting.removeFirst()
        }
    }

    private let state = Mutex(State())

    func enter() async {
        await withCheckedContinuation { continuation in
            let isFirst = state.withLock { state in
                state.waiting.append(continuation)
                defer { state.isWatched = true }
                return !state.isWatched
            }
            if isFirst { Task { await open() } }
            admit()
        }
    }

    func leave() {
        state.withLock { $0.free += 1 }
        admit()
    }

    private func admit() {
        while let next = state.withLock({ $0.admitNext() }) { next.resume() }
    }

    /// Opens the line after the tests that need nothing are through, which shows in how soon a task gets a thread.
    private func open() async {
        var quiet = 0
        while quiet < 3 {
            try? await Task.sleep(for: .milliseconds(100))
            let start = ContinuousClock.now
            await Task {}.value
            quiet = ContinuousClock.now - start < Self.patience ? quiet + 1 : 0
        }
        state.withLock { $0.isOpen = true }
        admit()
    }
}
