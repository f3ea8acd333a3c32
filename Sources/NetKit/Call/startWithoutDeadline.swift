/// Starts a task on the calling thread whose calls do not inherit the deadline of the starter.
///
/// Use this function for work that outlives the call that starts it, or that other calls depend on. Unlike
/// ``startDetached(_:)``, it keeps the other task-local values, such as the trace and the refresh under way.
func startWithoutDeadline<Success: Sendable>(
    _ operation: @escaping @Sendable () async throws -> Success
) -> Task<Success, any Error> {
    InheritedDeadline.$current.withValue(nil) { startImmediately(operation) }
}
