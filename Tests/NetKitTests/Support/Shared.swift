import NetKit

/// A value that tasks of a test share.
final class Shared<Value: Sendable>: Sendable {
    private let value: Locked<Value>

    init(_ value: Value) {
        self.value = Locked(value)
    }

    func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        value.withLock { body(&$0) }
    }
}

extension Shared<Int> {
    /// Adds one, and returns the new value.
    func increment() -> Int {
        withLock { count in
            count += 1
            return count
        }
    }
}

extension Locked<Int> {
    /// Adds one, and returns the new value.
    func increment() -> Int {
        withLock { count in
            count += 1
            return count
        }
    }
}
