import NetKit

/// A notice of another process about a queue.
enum OutboxNotice: Equatable {
    /// Some shards have work.
    case work(Set<Int>)
    /// A process needs shards, or has handed some over.
    case free(replica: String)

    private static let freeWord = "free "
    /// The maximum number of shards in a notification, which may have up to 8,000 bytes.
    private static let maxShards = 1000

    /// Reads the payload of a notification; `nil` if it is about another queue.
    init?(_ payload: String, queue: String) {
        guard payload.hasPrefix(queue + " ") else { return nil }
        let rest = payload.dropFirst(queue.count + 1)
        if rest.hasPrefix(Self.freeWord) {
            self = .free(replica: String(rest.dropFirst(Self.freeWord.count)))
        } else {
            let shards = rest.split(separator: ",").compactMap { Int($0) }
            guard !shards.isEmpty else { return nil }
            self = .work(Set(shards))
        }
    }

    /// Returns the payloads of notifications about shards.
    static func payloads(queue: String, work shards: Set<Int>) -> [String] {
        let sorted = shards.sorted()
        return stride(from: 0, to: sorted.count, by: maxShards).map { start in
            let part = sorted[start..<min(start + maxShards, sorted.count)]
            return "\(queue) " + part.map(String.init).joined(separator: ",")
        }
    }

    /// Returns the payload of a notification that a process needs shards, or has handed some over.
    static func payload(queue: String, freeFor replica: String) -> String { "\(queue) \(freeWord)\(replica)" }
}

/// A sender of notices about shards, which sends the first one at once and combines those of the interval after it.
final class NoticeThrottle: Sendable {
    private struct State {
        var shards: Set<Int> = []
        var isRunning = false
    }

    private let interval: Duration
    private let clock: NetKitClock
    private let send: @Sendable (Set<Int>) async -> Void
    private let state = Locked(State())

    init(interval: Duration, clock: NetKitClock, _ send: @escaping @Sendable (Set<Int>) async -> Void) {
        (self.interval, self.clock, self.send) = (interval, clock, send)
    }

    func announce(_ shards: Set<Int>) {
        guard !shards.isEmpty else { return }
        let isFirst = state.withLock { state in
            state.shards.formUnion(shards)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard isFirst else { return }
        // The task ends with the first interval in which there is nothing to announce.
        _ = startImmediately { [self] in
            while let shards = take() {
                let next = clock.now.advanced(by: interval)
                await send(shards)
                try await clock.waitForAlarm(at: next)
            }
        }
    }

    private func take() -> Set<Int>? {
        state.withLock { state in
            guard !state.shards.isEmpty else {
                state.isRunning = false
                return nil
            }
            return exchange(&state.shards, with: [])
        }
    }
}
