/// Hands the progress of a transfer to a closure, in a task beside it: a slow closure holds up nothing.
enum ProgressReport {
    static func run<Result: Sendable>(
        _ closure: (@Sendable (TransferProgress) -> Void)?,
        _ options: CallOptions,
        _ transfer: (CallOptions) async throws -> Result
    ) async throws -> Result {
        guard let closure else { return try await run(options, transfer) }
        var options = options
        let outer = options.progress
        let updates = TransferUpdates()
        options.progress = updates
        async let reports: Void = report(updates, closure, outer)
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await run(options, transfer))
        } catch {
            result = .failure(error)
        }
        await reports
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

    private static func report(
        _ updates: TransferUpdates,
        _ closure: @Sendable (TransferProgress) -> Void,
        _ outer: TransferUpdates?
    ) async {
        for await progress in updates { closure(progress) }
        outer?.end(isSuccess: updates.current.isFinished)
    }
}
