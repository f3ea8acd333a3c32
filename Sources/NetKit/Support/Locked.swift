import Synchronization

/// A value that is only reachable under a short lock.
///
/// The one lock of the project. Never call out, resume a continuation or wait while holding it: take what is needed
/// out of the value, leave the lock, then act.
package struct Locked<Value: ~Copyable>: ~Copyable, Sendable {
    private let mutex: Mutex<Value>

    package init(_ value: consuming sending Value) {
        self.mutex = Mutex(value)
    }

    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock(body)
    }
}
