extension Result where Failure == any Error {
    /// Creates the result of an asynchronous operation.
    package init(_ operation: () async throws -> Success) async {
        do {
            self = .success(try await operation())
        } catch {
            self = .failure(error)
        }
    }
}
