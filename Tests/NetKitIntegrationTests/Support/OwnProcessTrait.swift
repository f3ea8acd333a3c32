import NetKitTesting
import Testing

/// Lets one test at a time start the test program again.
///
/// As long as such a process runs, the test library reads what it reports on a thread of the pool that runs all tasks,
/// and there may be two of them: with two processes at a time nothing else would go on, and limits in time would be
/// missed. What the test library can observe, like standard error, takes a thread each as well: let the process write
/// to a file instead.
struct OwnProcessTrait: SuiteTrait, TestTrait, TestScoping {
    private static let gate = ConformanceGate(width: 1)

    var isRecursive: Bool { true }

    func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
        testCase == nil ? nil : self
    }

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        try await Self.gate.pass { () async throws(any Error) in try await function() }
    }
}

extension Trait where Self == OwnProcessTrait {
    /// The test starts the test program again, in its turn.
    static var inAProcessOfItsOwn: OwnProcessTrait { OwnProcessTrait() }
}
