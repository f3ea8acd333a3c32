import Foundation

extension LaneScheduler {
    /// The next step of the queue.
    enum Step: Equatable {
        /// Send an entry.
        case send(UUID)
        /// Expire an entry, which becomes a dead letter.
        case expire(UUID)
        /// Wait until a time; `nil` if only an event can change anything.
        case wait(until: NetKitClock.Instant?)
    }

    /// An entry with its times.
    ///
    /// It is an object, because a dictionary reserves room for more values than it has.
    final class Item: Sendable {
        let entry: OfflineEntry
        let times: Times
        /// Whether the entry is being sent or changed.
        let isBusy: Bool
        /// The number of the change that produced the item.
        let change: Int

        /// Whether the entry may begin as soon as it is due; dead letters and conflicts may not.
        var isWaiting: Bool { entry.state == .waiting && !isBusy }
        /// Whether no other entry of the lane may begin meanwhile.
        var isUnderWay: Bool { entry.state == .waiting && isBusy }

        init(entry: OfflineEntry, times: Times, isBusy: Bool, change: Int) {
            self.entry = entry
            self.times = times
            self.isBusy = isBusy
            self.change = change
        }
    }

    /// The times of an entry on the monotonic clock.
    struct Times: Sendable {
        /// The time of its next attempt.
        var nextAttempt: NetKitClock.Instant? {
            didSet {
                unstoredWait = nil
                isStoredWaitOver = false
            }
        }
        /// The time until which it waits without a note in the store.
        private(set) var unstoredWait: NetKitClock.Instant?
        /// Whether the wait in the store has ended early.
        ///
        /// Only the owner of an entry stores waits, so the store has the same one until this queue stores another.
        private var isStoredWaitOver = false
        /// The time at which it expires.
        var expiry: NetKitClock.Instant?
        /// The time since which its attempts have failed.
        var failingSince: NetKitClock.Instant?

        init() {}

        /// Creates the times of a listed entry; a wait of which the store does not know continues, and one that ended
        /// early is over.
        init(_ listed: OfflineListedEntry, after old: Times? = nil, now: NetKitClock.Instant) {
            unstoredWait = old?.unstoredWait
            isStoredWaitOver = old?.isStoredWaitOver ?? false
            let wait = isStoredWaitOver ? nil : listed.wait
            nextAttempt = wait.map { max(now.advanced(by: $0), old?.unstoredWait ?? now) } ?? old?.unstoredWait
            expiry = listed.timeLeft.map { now.advanced(by: $0) }
            failingSince = old?.failingSince
            noteFailing(for: listed.entry.failingFor, now: now)
        }

        /// Notes the time for which attempts had failed as of the latest one that counts; `nil` if none has failed.
        ///
        /// A store knows that time only, and it has gone on since.
        mutating func noteFailing(for time: Duration?, now: NetKitClock.Instant) {
            failingSince = time.map { time in
                let start = now.advanced(by: .zero - time)
                return min(start, failingSince ?? start)
            }
        }

        /// Lets the entry wait until a time that is not stored.
        mutating func wait(until time: NetKitClock.Instant?) {
            let isOver = isStoredWaitOver
            nextAttempt = time
            unstoredWait = time
            isStoredWaitOver = isOver
        }

        /// Ends the wait of the entry, which the store still has.
        mutating func endWait() {
            nextAttempt = nil
            isStoredWaitOver = true
        }
    }

    /// The numbers of the changes of pauses and of the merged listings, of which the latest counts.
    struct ListingOrder {
        private var lanes: [String: Int] = [:]
        /// The latest listing of each shard.
        private var listings: [Int: Int] = [:]
        /// The latest listing of all shards.
        private var whole = 0

        /// Notes that a lane was paused or resumed here.
        mutating func note(_ lane: String, _ change: Int) { lanes[lane] = change }

        /// Notes that the entries and pauses of some shards, or of all, were listed.
        mutating func noteListing(of shards: Set<Int>?, _ change: Int) {
            if let shards {
                for shard in shards { listings[shard] = max(change, listings[shard] ?? 0) }
            } else {
                whole = max(change, whole)
            }
        }

        /// Returns whether a listing has the latest pause of a lane, whose shard may be unknown.
        func isCurrent(_ change: Int, for lane: String, of shard: Int?) -> Bool {
            isLatest(change, of: shard) && lanes[lane] ?? 0 <= change
        }

        /// Returns whether listings that began later have all of some shards, or of all.
        func isObsolete(_ change: Int, of shards: Set<Int>?) -> Bool {
            shards.map { $0.allSatisfy { !isLatest(change, of: $0) } } ?? !isLatest(change, of: nil)
        }

        /// Returns whether no listing of a shard that began later was merged before.
        func isLatest(_ change: Int, of shard: Int?) -> Bool {
            max(whole, shard.flatMap { listings[$0] } ?? 0) <= change
        }
    }

    struct Rank: Comparable {
        let priority: Int
        let position: Int64

        static func < (left: Rank, right: Rank) -> Bool {
            left.priority != right.priority ? left.priority > right.priority : left.position < right.position
        }
    }
}
