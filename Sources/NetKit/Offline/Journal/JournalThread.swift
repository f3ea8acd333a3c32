import Dispatch
import Foundation

/// The thread that a journal's files belong to: syncs take milliseconds, and the threads for tasks are few.
///
/// What is to be written while it is busy is taken together: everyone who waits shares the next sync.
final class JournalThread: Sendable {
    private struct Inbox {
        var writes: [JournalWrite] = []
        var jobs: [@Sendable (JournalDisk) -> Void] = []
        var isAwaited = false
        var isEnded = false
    }

    private let inbox = Locked(Inbox())
    private let arrival = DispatchSemaphore(value: 0)

    init() {}

    /// Starts it; the disk is made there, and only there.
    func start(_ makeDisk: @escaping @Sendable () -> JournalDisk) {
        // The thread ends with `end`, so that it may hold this.
        let thread = Thread { [self] in
            let disk = makeDisk()
            while let (jobs, writes) = next() {
                for job in jobs { job(disk) }
                var rest = writes[...]
                while !rest.isEmpty { disk.write(Self.batch(&rest, bound: disk.settings.batch)) }
            }
            disk.close()
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
        let (isAccepted, isAwaited) = inbox.withLock { inbox in
            guard !inbox.isEnded else { return (false, false) }
            change(&inbox)
            defer { inbox.isAwaited = false }
            return (true, inbox.isAwaited)
        }
        if isAwaited { arrival.signal() }
        return isAccepted
    }

    /// Waits for something to do; nil at the end.
    private func next() -> (jobs: [@Sendable (JournalDisk) -> Void], writes: [JournalWrite])? {
        while true {
            let (taken, isEnded) = inbox.withLock { inbox -> (Inbox?, Bool) in
                guard !inbox.jobs.isEmpty || !inbox.writes.isEmpty else {
                    inbox.isAwaited = true
                    return (nil, inbox.isEnded)
                }
                let taken = inbox
                inbox.jobs = []
                inbox.writes = []
                return (taken, false)
            }
            if let taken { return (taken.jobs, taken.writes) }
            if isEnded { return nil }
            arrival.wait()
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
