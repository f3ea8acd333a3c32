/// Runs a long computation at the lowest priority, on threads of its own. Tests beside it have time limits, and share
/// their threads.
///
/// It is not awaited as a task, because that would give it the priority of the test.
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
