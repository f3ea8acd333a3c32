/// Hands the progress of a transfer to a closure, in a task beside it: a slow closure holds up nothing.
enum ProgressReport {
    static func run<Result: Sendable>(
        _ closure: (@Sendable (TransferProgress) -> Void)?,
        _ options: CallOptions,
        _ transfer: (CallOptions) async throws -> Result
    ) async throws -> Result {
        var options = options
        options.endsProgress = false
        guard let closure else { return try await run(options, transfer) }
        let outer = options.progress
        let updates = TransferUpdates()
        options.progress = updates
        async let reported = report(updates, closure, outer)
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await run(options, transfer))
        } catch {
            result = .failure(error)
        }
        // A cancelled task stops reading before the end, and the last word is for everyone.
        let (last, final) = (await reported, updates.current)
        if last != final { closure(final) }
        outer?.end(as: final)
        return try result.get()
    }

    private static func run<Result: Sendable>(
        _ options: CallOptions,
        _ transfer: (CallOptions) async throws -> Result
    ) async throws -> Result {
        do {
            let result = try await transfer(options)
            options.progress?.end(isSuccess: true)
            return result
        } catch {
            options.progress?.end(isSuccess: false)
            throw error
        }
    }

    /// The last one that was handed over.
    private static func report(
        _ updates: TransferUpdates,
        _ closure: @Sendable (TransferProgress) -> Void,
        _ outer: TransferUpdates?
    ) async -> TransferProgress? {
        var last: TransferProgress?
        for await progress in updates {
            closure(progress)
            outer?.pass(on: progress)
            last = progress
        }
        return last
    }
}
