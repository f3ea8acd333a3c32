import Foundation

/// A value that is only reachable under a short lock.
///
/// It is the only lock of the project. Never call out, resume a continuation or wait while holding it: take the needed
/// parts out of the value, release the lock, then act.
///
/// Lock and value have memory of their own, so that a class with such a value has a layout that the compiler knows.
/// `Mutex` lies inside the class, and asks the runtime for the layout of its generic type each time it is locked.
/// `@unchecked Sendable`: the value is only touched under the lock.
package struct Locked<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    /// The place of the value; the lock is right before it.
    private let value: UnsafeMutablePointer<Value>

    package init(_ value: consuming sending Value) {
        self.value = memory(for: MemoryLayout<Value>.size).bindMemory(to: Value.self, capacity: 1)
        self.value.initialize(to: value)
    }

    deinit {
        pthread_mutex_destroy(lock)
        value.deinitialize(count: 1)
        free(lock)
    }

    private var lock: UnsafeMutablePointer<pthread_mutex_t> {
        (UnsafeMutableRawPointer(value) - sizeOfLock).assumingMemoryBound(to: pthread_mutex_t.self)
    }

    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return try body(&value.pointee)
    }
}

/// Returns memory for a value of a size, after a lock.
///
/// `UnsafeMutableRawPointer.allocate` asks for the alignment that `malloc` has anyway, which takes longer.
@inline(never)
private func memory(for size: Int) -> UnsafeMutableRawPointer {
    // reason: without memory for an object, Swift ends the process as well.
    guard let memory = malloc(sizeOfLock + size) else { fatalError("No memory is left.") }
    pthread_mutex_init(memory.assumingMemoryBound(to: pthread_mutex_t.self), nil)
    return memory + sizeOfLock
}

/// The largest alignment of a type in Swift, which is also that of `malloc`.
private var maxAlignment: Int { 16 }

/// The size of a lock, rounded up so that any value may follow it.
private var sizeOfLock: Int { (MemoryLayout<pthread_mutex_t>.size + maxAlignment - 1) / maxAlignment * maxAlignment }
