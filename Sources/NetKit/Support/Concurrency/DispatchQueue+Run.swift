import Dispatch

extension DispatchQueue {
    /// Runs a closure on the queue, so that its caller's thread is free meanwhile.
    func run<Success: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        let result = await withCheckedContinuation { continuation in
            async { continuation.resume(returning: Result { () throws(Failure) in try body() }) }
        }
        return try result.get()
    }
}
