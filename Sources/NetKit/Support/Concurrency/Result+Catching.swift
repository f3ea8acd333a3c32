extension Result where Failure == any Error {
    /// Returns the result of asynchronous work.
    package static func catching(_ work: () async throws -> Success) async -> Result {
        do { return .success(try await work()) } catch { return .failure(error) }
    }
}
