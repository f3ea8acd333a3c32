/// Runs an operation several times at once, each time with another number from 0 on.
func concurrently(_ count: Int, _ operation: @escaping @Sendable (Int) async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<count {
            group.addTask { try await operation(number) }
        }
        try await group.waitForAll()
    }
}
