import Dispatch
import Foundation

/// Whoever works with a journal's files: one at a time, and what is to be written meanwhile is taken together, so that
/// everyone who waits shares the next sync.
///
/// A disk may take milliseconds to sync, and the threads for tasks are few, so that there is a thread for that. Where syncs
/// have been quick and nobody else writes, whoever wants something written does it at once: to wake another thread, and to
/// be woken by it, would take longer than the sync.
final class JournalThread: Sendable {
    // `@unchecked Sendable`: whoever has taken it out of `inbox`, under its lock, has it alone until it is back there.
    private struct Owned: @unchecked Sendable {
        let disk: JournalDisk
    }

    private typealias Job = @Sendable (JournalDisk) -> Void

    private struct Work {
        let owned: Owned
        let jobs: [Job]
        let writes: [JournalWrite]
    }

    private struct Inbox {
        var writes: [JournalWrite] = []
        var jobs: [Job] = []
        /// Nil while somebody works with it.
        var owned: Owned?
        /// How many writes the thread waits for, if it waits at all.
        var awaited: Int?
        var isEnded = false
        /// How many nanoseconds a write has taken lately, and how many took part in the last one or waited for the next.
        var pace: UInt64 = 1_000_000_000
        var company = 0

        var hasWork: Bool { !jobs.isEmpty || !writes.isEmpty }

        /// Whether the thread has to be woken; only once for each time it waits.
        mutating func wakes() -> Bool {
            guard let awaited, isEnded || !jobs.isEmpty || writes.count >= awaited else { return false }
            self.awaited = nil
            return true
        }

        mutating func take() -> Work? {
            guard hasWork, let owned else { return nil }
            let work = Work(owned: owned, jobs: jobs, writes: writes)
            self.owned = nil
            jobs = []
            writes = []
            return work
        }
    }

    /// How quick a disk has to be for writes on the threads of tasks, in nanoseconds.
    private static let quick: UInt64 = 500_000

    private let inbox = Locked(Inbox())
    private let arrival = DispatchSemaphore(value: 0)

    init() {}

    /// Starts it.
    func start(_ disk: sending JournalDisk) {
        let owned = Owned(disk: disk)
        inbox.withLock { $0.owned = owned }
        // The thread ends with `end`, so that it may hold this.
        let thread = Thread { [self] in
            while let work = next() { perform(work) }
            inbox.withLock { $0.owned }?.disk.close()
        }
        thread.name = "netkit.queue"
        thread.stackSize = 512 << 10
        thread.start()
    }

    /// Writes records and waits until they are safe.
    func write(_ lines: [JournalLine], isOptional: Bool) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let write = JournalWrite(lines: lines, isOptional: isOptional) { continuation.resume(with: $0) }
            let isAccepted = add { $0.writes.append(write) }
            if !isAccepted { continuation.resume(throwing: Self.ended) }
        }
    }

    /// Does something on the thread and waits for it.
    func run<Success: Sendable>(_ body: @escaping @Sendable (JournalDisk) throws -> Success) async throws -> Success {
        try await withCheckedThrowingContinuation { continuation in
            let isAccepted = add { inbox in
                inbox.jobs.append { disk in continuation.resume(with: Result { try body(disk) }) }
            }
            if !isAccepted { continuation.resume(throwing: Self.ended) }
        }
    }

    /// Lets the thread finish what it has, and end.
    func end() {
        add { $0.isEnded = true }
    }

    private static let ended = NetKitError(.closed, "The queue was closed.")

    @discardableResult
    private func add(_ change: (inout Inbox) -> Void) -> Bool {
        let (isAccepted, isAwaited, work) = inbox.withLock { inbox -> (Bool, Bool, Work?) in
            guard !inbox.isEnded else { return (false, false, nil) }
            change(&inbox)
            if inbox.pace < Self.quick, inbox.company < 2, inbox.jobs.isEmpty, !inbox.isEnded, let work = inbox.take() {
                return (true, false, work)
            }
            return (true, inbox.wakes(), nil)
        }
        if isAwaited { arrival.signal() }
        if let work {
            perform(work)
            // What has come meanwhile is the thread's: this caller has what it wanted.
            if inbox.withLock({ $0.wakes() }) { arrival.signal() }
        }
        return isAccepted
    }

    /// Waits for something to do; nil at the end.
    private func next() -> Work? {
        var hasGathered = false
        while true {
            let step = inbox.withLock { inbox -> Step in
                // Where many write one after the other, those of the last write are about to be back: one more sync for the
                // first of them would cost more than it takes to wait for the others.
                if !hasGathered, inbox.jobs.isEmpty, !inbox.writes.isEmpty, !inbox.isEnded, inbox.company > 3,
                    inbox.writes.count * 4 < inbox.company * 3
                {
                    inbox.awaited = inbox.company * 3 / 4
                    return .gather(min(inbox.pace, Self.quick))
                }
                if let work = inbox.take() { return .work(work) }
                if inbox.isEnded, inbox.owned != nil { return .end }
                inbox.awaited = 1
                return .wait
            }
            switch step {
            case .work(let work): return work
            case .end: return nil
            case .wait:
                arrival.wait()
                hasGathered = false
            case .gather(let nanoseconds):
                let isWoken = arrival.wait(timeout: .now() + .nanoseconds(Int(nanoseconds))) == .success
                // Whoever took the number has signalled, or is about to.
                if !isWoken, inbox.withLock({ $0.awaited.take() == nil }) { arrival.wait() }
                hasGathered = true
            }
        }
    }

    private enum Step {
        case work(Work)
        case wait
        case gather(UInt64)
        case end
    }

    private func perform(_ work: Work) {
        let disk = work.owned.disk
        for job in work.jobs { job(disk) }
        let start = DispatchTime.now().uptimeNanoseconds
        if work.writes.count == 1 {
            disk.write(work.writes)
        } else {
            var rest = work.writes[...]
            while !rest.isEmpty { disk.write(Self.batch(&rest, bound: disk.settings.batch)) }
        }
        let duration = DispatchTime.now().uptimeNanoseconds &- start
        inbox.withLock { inbox in
            inbox.owned = work.owned
            guard !work.writes.isEmpty else { return }
            inbox.pace = inbox.pace / 4 * 3 + duration / 4
            inbox.company = work.writes.count + inbox.writes.count
        }
    }

    private static func batch(_ rest: inout ArraySlice<JournalWrite>, bound: Int) -> [JournalWrite] {
        var batch: [JournalWrite] = []
        var size = 0
        while size < bound, let write = rest.popFirst() {
            batch.append(write)
            size += write.lines.reduce(0) { $0 + $1.lengthBound }
        }
        return batch
    }
}
