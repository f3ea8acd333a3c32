import Synchronization

/// The executors of the simulations in this process, on which all of their tasks have to stay.
///
/// An unstructured task does not inherit the executor of the task that starts it, so code that starts one asks here.
/// Asking the current task costs 40 ns; a process without a simulation pays for one load instead.
package enum SimulatedExecution {
    private static let isUsed = Atomic<Bool>(false)
    private static let executors = Locked<[any TaskExecutor]>([])

    package static func begin(on executor: any TaskExecutor) {
        executors.withLock { executors in
            executors.append(executor)
            isUsed.store(true, ordering: .relaxed)
        }
    }

    package static func end(on executor: any TaskExecutor) {
        executors.withLock { executors in
            executors.removeAll { $0 === executor }
            isUsed.store(!executors.isEmpty, ordering: .relaxed)
        }
    }

    /// The executor that a task started here has to run on, if any.
    static var current: (any TaskExecutor)? {
        guard isUsed.load(ordering: .relaxed) else { return nil }
        guard let preferred = withUnsafeCurrentTask(body: { $0?.unownedTaskExecutor }) else { return nil }
        return executors.withLock { executors in executors.first { $0.asUnownedTaskExecutor() == preferred } }
    }
}
