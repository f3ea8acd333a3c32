/// A sequence of progress updates of one transfer.
///
/// Pass it to a call and read it while the call runs:
///
/// ```swift
/// let updates = TransferUpdates()
/// async let response = client.upload(file, to: "/files", options: .init(progress: updates))
/// for await progress in updates { show(progress.fractionCompleted) }
/// _ = try await response
/// ```
/// There is at most one update per interval. A reader that falls behind gets only the newest update; the last update is
/// always delivered. A retry starts again from the beginning. The sequence ends with the call, and has one reader.
public final class TransferUpdates: AsyncSequence, Sendable {
    /// The type of one update.
    public typealias Element = TransferProgress

    private struct State: ~Copyable {
        var clock: NetKitClock?
        var progress = TransferProgress(completed: 0, attempt: 0)
        /// The time at which the attempt began, and the number of bytes that were transferred before.
        var began: NetKitClock.Instant?
        var initial: Int64 = 0
        var lastUpdate: NetKitClock.Instant?
        var isOver = false

        /// Returns the update after a change; `nil` if it is too early for another one.
        ///
        /// Not inlined, because the compiler makes a copy of `report` for each change.
        @inline(never)
        mutating func nextUpdate(isForced: Bool, every interval: Duration) -> TransferProgress? {
            guard let clock else { return isForced ? progress : nil }
            let now = clock.now
            if !isForced, let lastUpdate, lastUpdate.duration(to: now) < interval { return nil }
            lastUpdate = now
            if let began {
                let seconds = began.duration(to: now) / .seconds(1)
                let moved = progress.completed - initial
                if seconds > 0, moved > 0 { progress.bytesPerSecond = Double(moved) / seconds }
            }
            return progress
        }
    }

    private let state = Locked(State())
    private let interval: Duration
    private let stream: AsyncStream<TransferProgress>
    private let continuation: AsyncStream<TransferProgress>.Continuation

    /// Creates a sequence with at most one update per interval.
    public init(every interval: Duration = .milliseconds(100)) {
        self.interval = interval
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    deinit { continuation.finish() }

    /// The current progress.
    public var current: TransferProgress { state.withLock { $0.progress } }

    /// Returns an iterator over the updates.
    public func makeAsyncIterator() -> AsyncStream<TransferProgress>.Iterator { stream.makeAsyncIterator() }

    /// Reports the beginning of an attempt.
    func begin(completed: Int64 = 0, total: Int64?, clock: NetKitClock) {
        report(isForced: true) { state in
            state.clock = clock
            state.began = clock.now
            state.initial = completed
            state.progress = TransferProgress(completed: completed, total: total, attempt: state.progress.attempt + 1)
        }
    }

    /// Reports that more bytes were transferred.
    func note(_ count: Int64) {
        report(isForced: false) { $0.progress.completed = $0.progress.completed.addingSaturated(count) }
    }

    /// Reports the number of bytes that an attempt has sent; of attempts that run at once, the furthest one counts.
    func note(sent count: Int64) {
        report(isForced: false) { $0.progress.completed = Swift.max($0.progress.completed, count) }
    }

    /// Ends the sequence with an update that says whether the transfer succeeded.
    func end(isSuccess: Bool) {
        report(isForced: true) { state in
            state.isOver = true
            guard isSuccess else { return }
            state.progress.isFinished = true
            if let total = state.progress.total { state.progress.completed = total }
            state.progress.total = state.progress.completed
        }
        continuation.finish()
    }

    /// Passes on an update of another sequence for the same transfer.
    func forward(_ progress: TransferProgress) {
        report(isForced: true) { $0.progress = progress }
    }

    /// Ends the sequence with an update of another sequence.
    func end(as progress: TransferProgress) {
        report(isForced: true) { ($0.progress, $0.isOver) = (progress, true) }
        continuation.finish()
    }

    private func report(isForced: Bool, _ change: (inout State) -> Void) {
        let update = state.withLock { state -> TransferProgress? in
            guard !state.isOver else { return nil }
            change(&state)
            return state.nextUpdate(isForced: isForced, every: interval)
        }
        if let update { continuation.yield(update) }
    }
}
