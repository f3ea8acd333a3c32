#if NETKIT_THREAD_SANITIZER
    import Foundation
#else
    import Synchronization
#endif

/// A value that is only reachable under a short lock.
///
/// It is the only lock of the project. Never call out, resume a continuation or wait while holding it: take the needed
/// parts out of the value, release the lock, then act.
#if !NETKIT_THREAD_SANITIZER
    package struct Locked<Value: ~Copyable>: ~Copyable, Sendable {
        let mutex: Mutex<Value>

        package init(_ value: consuming sending Value) { self.mutex = Mutex(value) }

        package borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            try mutex.withLock(body)
        }
    }
#else
    // ThreadSanitizer does not see the slow path of `Mutex`, which is inside the standard library, and reports races
    // where there are none. It knows the lock below. `@unchecked Sendable`: the value is only touched under `lock`.
    package struct Locked<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
        private let lock = NSLock()
        private let value: UnsafeMutablePointer<Value>

        package init(_ value: consuming sending Value) {
            self.value = .allocate(capacity: 1)
            self.value.initialize(to: value)
        }

        deinit {
            value.deinitialize(count: 1)
            value.deallocate()
        }

        package borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            lock.lock()
            defer { lock.unlock() }
            return try body(&value.pointee)
        }
    }
#endif
