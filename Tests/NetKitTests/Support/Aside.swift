/// Runs what computes for seconds at the lowest priority, on threads of its own: tests beside it have limits in time, and
/// share their threads.
///
/// It is not waited for as a task: that would lend it the priority of the test.
func aside<Success: Sendable>(_ work: @escaping @Sendable () async throws -> Success) async throws -> Success {
    try await withCheckedThrowingContinuation { continuation in
        Task(priority: .background) {
            do {
                continuation.resume(returning: try await work())
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }
}
