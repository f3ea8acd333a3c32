/// A function that receives the progress of a transfer.
///
/// It may run on an actor, such as the main actor. The last progress of a transfer that succeeds is always complete.
public typealias ProgressHandler = @Sendable (TransferProgress) async -> Void

/// Passes the progress of a transfer to a closure in a separate task, so that a slow closure delays nothing.
enum ProgressReport {
    static func run<Result: Sendable>(
        _ closure: ProgressHandler?,
        _ options: CallOptions,
        _ transfer: (CallOptions) async throws -> Result
    ) async throws -> Result {
        guard let closure else { return try await options.endingProgress(transfer) }
        var options = options
        let outer = options.progress
        let updates = TransferUpdates()
        options.progress = updates
        async let reported = report(updates, closure, outer)
        let result = await Swift.Result.catching { try await options.endingProgress(transfer) }
        // A cancelled task stops reading before the end, but the final progress is always reported.
        let (last, final) = (await reported, updates.current)
        if last != final { await closure(final) }
        outer?.end(as: final)
        return try result.get()
    }

    /// Hands over every progress, and returns the last one.
    private static func report(
        _ updates: TransferUpdates,
        _ closure: ProgressHandler,
        _ outer: TransferUpdates?
    ) async -> TransferProgress? {
        var last: TransferProgress?
        for await progress in updates {
            await closure(progress)
            outer?.forward(progress)
            last = progress
        }
        return last
    }
}
