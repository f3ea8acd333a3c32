extension AsyncThrowingStream where Failure == any Error, Element: Sendable {
    /// A stream that hides the sequence it reads, as the bodies of other packages do. The reading ends with the stream.
    init<Chunks: AsyncSequence & Sendable>(reading chunks: Chunks) where Chunks.Element == Element {
        self.init { continuation in
            let task = Task {
                do {
                    for try await chunk in chunks { continuation.yield(chunk) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}
