extension Result where Failure == any Error {
    /// What an operation ends with.
    package init(_ operation: () async throws -> Success) async {
        do {
            self = .success(try await operation())
        } catch {
            self = .failure(error)
        }
    }
}
