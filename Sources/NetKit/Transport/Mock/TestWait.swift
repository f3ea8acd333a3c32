import Foundation

/// A wait of a test until something has happened often enough.
///
/// The wait also ends when the test is cancelled, as at its time limit. It then reports what it waited for, because the
/// test's own message only says that the limit has passed.
package struct TestWait<Goal: Sendable>: Sendable {
    package let goal: Goal
    private let end = Promise<Void>()

    package init(for goal: Goal) { self.goal = goal }

    /// Ends the wait because the goal is reached.
    package func finish() { end.resolve(.success(())) }

    /// Waits until the goal is reached or the task is cancelled.
    ///
    /// - Parameter problem: A closure that returns what is awaited and what there is instead.
    package func value(_ problem: () -> String) async {
        do {
            try await end.cancellableValue()
        } catch {
            TestWaitReport.sink("NetKit: A test was cancelled while it waited for \(problem())\n")
        }
    }
}

extension Array {
    /// Removes and returns the waits whose goal is reached.
    package mutating func takeReached<Goal>(where isReached: (Goal) -> Bool) -> [Element]
    where Element == TestWait<Goal> {
        guard !isEmpty else { return [] }
        let all = self
        self = all.filter { !isReached($0.goal) }
        return all.filter { isReached($0.goal) }
    }
}

/// The messages of waits that ended because their test was cancelled.
package enum TestWaitReport {
    /// A closure that writes a message; by default to standard error.
    @TaskLocal package static var sink: @Sendable (String) -> Void = { message in
        try? FileHandle.standardError.write(contentsOf: Data(message.utf8))
    }

    /// Returns the problem of a wait for requests.
    package static func requests(_ count: Int, to receiver: String, present names: [String]) -> String {
        let last = names.isEmpty ? "" : ", the last \(names.suffix(3).joined(separator: ", "))"
        let present = names.count == 1 ? "was 1" : "were \(names.count)"
        return "\(count.counting("request")) to the \(receiver). There \(present)\(last)."
    }
}
