import Dispatch

/// The thread that works with a journal's files.
///
/// A sync can take milliseconds, and the threads that tasks run on are few, so a journal has its own thread. Records
/// that arrive while it works are written together afterwards, and share one sync.
final class JournalThread: Sendable {
    // `@unchecked Sendable`: the thread is its only owner from `start` on.
    private struct Owned: @unchecked Sendable {
        let disk: JournalDisk
    }

    private typealias Job = @Sendable (JournalDisk) -> Void

    private struct Inbox {
        var writes: [JournalWrite] = []
        var jobs: [Job] = []
        var isEnded = false
        /// The error of work that arrives after the end.
        var refusal = NetKitError.queueClosed
        /// Whether the thread waits for a signal.
        var isIdle = false
        /// Ends after the thread has closed its files.
        var closing = Promise<Void>()
    }

    private struct Work {
        let jobs: [Job]
        let writes: [JournalWrite]
    }

    private let inbox = Locked(Inbox())
    private let arrival = DispatchSemaphore(value: 0)

    /// Starts the thread, which ends after `end`, also again after `finish`.
    func start(_ disk: sending JournalDisk) {
        let owned = Owned(disk: disk)
        let closing = Promise<Void>()
        inbox.withLock { $0 = Inbox(closing: closing) }
        // The closure may retain the object, because `end` is called from elsewhere.
        let isStarted = SystemThread.start("netkit.queue") { [self] in
            while let work = next(isBusy: owned.disk.compaction != nil) { Self.perform(work, on: owned.disk) }
            owned.disk.close()
            closing.resolve(.success(()))
        }
        guard !isStarted else { return }
        inbox.withLock { ($0.isEnded, $0.refusal) = (true, Self.threadless) }
        closing.resolve(.success(()))
    }

    private static let threadless = NetKitError(
        .file,
        "The system could not create a thread for the queue. Raise the limit of processes and threads, and open it again."
    )

    /// Writes records, and returns after they are safe.
    func write(_ records: [UnnumberedRecord]) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let write = JournalWrite(records: records) { continuation.resume(with: $0) }
            if !add({ $0.writes.append(write) }) { continuation.resume(throwing: refusal) }
        }
    }

    /// Runs a closure on the thread, before the records that wait there.
    func run<Success: Sendable>(_ body: @escaping @Sendable (JournalDisk) throws -> Success) async throws -> Success {
        try await withCheckedThrowingContinuation { continuation in
            let job: Job = { disk in continuation.resume(with: Result { try body(disk) }) }
            if !add({ $0.jobs.append(job) }) { continuation.resume(throwing: refusal) }
        }
    }

    private var refusal: NetKitError { inbox.withLock { $0.refusal } }

    /// Makes the thread end after its remaining work.
    func end() {
        _ = add { $0.isEnded = true }
    }

    /// Makes the thread end after its remaining work, and returns after its files are closed.
    ///
    /// Work that arrives later is refused. It must not open the files again.
    func finish() async {
        end()
        try? await inbox.withLock { $0.closing }.value()
    }

    /// Changes the inbox; returns `false` after the end.
    private func add(_ change: (inout Inbox) -> Void) -> Bool {
        let (isAccepted, wasIdle) = inbox.withLock { inbox in
            guard !inbox.isEnded else { return (false, false) }
            change(&inbox)
            return (true, exchange(&inbox.isIdle, with: false))
        }
        if wasIdle { arrival.signal() }
        return isAccepted
    }

    /// Returns the next work, and waits for it unless a compaction is to be continued; `nil` at the end.
    private func next(isBusy: Bool) -> Work? {
        while true {
            let (work, isEnded) = inbox.withLock { inbox -> (Work?, Bool) in
                guard inbox.jobs.isEmpty, inbox.writes.isEmpty else {
                    let work = Work(jobs: inbox.jobs, writes: inbox.writes)
                    inbox.jobs = []
                    inbox.writes = []
                    return (work, false)
                }
                if isBusy, !inbox.isEnded { return (Work(jobs: [], writes: []), false) }
                inbox.isIdle = !inbox.isEnded
                return (nil, inbox.isEnded)
            }
            if work != nil || isEnded { return work }
            arrival.wait()
        }
    }

    private static func perform(_ work: Work, on disk: JournalDisk) {
        for job in work.jobs { job(disk) }
        var rest = work.writes[...]
        while !rest.isEmpty { disk.write(batch(&rest, bound: disk.settings.batch)) }
        disk.compactFurther()
    }

    private static func batch(_ rest: inout ArraySlice<JournalWrite>, bound: Int) -> [JournalWrite] {
        var batch: [JournalWrite] = []
        var size = 0
        while size < bound, let write = rest.popFirst() {
            batch.append(write)
            size += write.records.reduce(0) { $0 + $1.lengthBound }
        }
        return batch
    }
}

/// Records that belong together: they are written with one write, whose result `finish` takes.
struct JournalWrite: Sendable {
    let records: [UnnumberedRecord]
    let finish: @Sendable (Result<Void, any Error>) -> Void

    var addsEntry: Bool { records.contains { $0.addsEntry } }
}
