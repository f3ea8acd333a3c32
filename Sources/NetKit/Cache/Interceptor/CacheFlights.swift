import Synchronization

/// The exchanges under way that bring what the cache has not, one for each entry.
final class CacheFlights: Sendable {
    /// The properties that two calls have in common if they may share an exchange.
    ///
    /// A response that was on its way when its URL was changed is not that of the calls that come after the change, so the
    /// generation of the URL belongs to it.
    struct Key: Hashable {
        let entry: CacheKey
        let variants: [CacheKey]
        let generation: CacheWriteToken.Generation

        func hash(into hasher: inout Hasher) {
            hasher.combine(entry)
        }
    }

    /// The next step of a call that found nothing it can use.
    enum Entry {
        /// Makes the exchange for all.
        case lead(CacheFlight)
        /// Waits for the exchange of another call.
        case wait(CacheFlight)
        /// Makes an exchange for itself.
        case alone
        /// Looks again: an exchange has ended since it looked.
        case lookAgain
    }

    private struct State {
        var flights: [Key: CacheFlight] = [:]
        /// Entries whose last response was of no use to others; each has one place, which another may take.
        var unusable: [CacheKey?] = []
        var gatheredBytes = 0
    }

    /// A Boolean value that indicates whether the task makes an exchange that others wait for.
    ///
    /// Calls inside of such a task do not wait for other exchanges, because two could wait for each other.
    @TaskLocal static var isLeading = false

    private static let placeCount = 1024
    /// The number of bytes of one body that are kept for waiting calls.
    let maxBodyBytes: Int
    /// The number of bytes of all bodies together.
    private let totalLimit: Int
    /// Changed with the flights, and read by every call.
    private let landed = Atomic<UInt64>(0)
    private let state = Locked(State())

    init(maxBodyBytes: Int) {
        self.maxBodyBytes = maxBodyBytes
        totalLimit = maxBodyBytes > .max / 4 ? .max : maxBodyBytes * 4
    }

    /// The number of exchanges that others can join.
    var count: Int { state.withLock { $0.flights.count } }

    /// The number of calls that wait for one of them.
    var waitingCount: Int { state.withLock { Array($0.flights.values) }.reduce(0) { $0 + $1.waitingCount } }

    /// The number of bytes that are kept for others.
    var gatheredBytes: Int { state.withLock { $0.gatheredBytes } }

    /// The number of exchanges that have ended.
    var landings: UInt64 { landed.load(ordering: .acquiring) }

    /// Decides about a call that found nothing it can use.
    ///
    /// - Parameters:
    ///   - key: What it has in common with those it may share with.
    ///   - call: The call.
    ///   - seen: How many exchanges had ended before it looked; `nil` if it does not look again.
    /// - Returns: What it does.
    func join(_ key: Key, _ call: Call, seen: UInt64?) -> Entry {
        state.withLock { state in
            if let flight = state.flights[key] {
                if Self.isLeading || Self.isUnusable(key.entry, state) { return .alone }
                // Where it does not suit, the calls that come now wait for this one's.
                if flight.suits(call) { return .wait(flight) }
            }
            if let seen, seen != landings { return .lookAgain }
            let flight = CacheFlight(key, call, in: self)
            state.flights[key] = flight
            return .lead(flight)
        }
    }

    /// Lets no call join an exchange for a URL that has been changed since it began; those that wait for it already stay.
    func close(_ resource: CacheResource) {
        state.withLock { state in
            for key in state.flights.keys where key.entry.resource == resource { state.flights[key] = nil }
        }
    }

    /// Forgets a flight that has landed, and remembers whether its response was of use to others.
    func remove(_ flight: CacheFlight, _ landing: CacheFlight.Landing) {
        let entry = flight.key.entry
        state.withLock { state in
            landed.wrappingAdd(1, ordering: .releasing)
            if state.flights[flight.key] === flight { state.flights.removeValue(forKey: flight.key) }
            switch landing {
            case .response:
                if Self.isUnusable(entry, state) { state.unusable[Self.place(of: entry)] = nil }
            case .unusable(isLasting: true):
                if state.unusable.isEmpty { state.unusable = Array(repeating: nil, count: Self.placeCount) }
                state.unusable[Self.place(of: entry)] = entry
            case .unusable, .serverFailure, .failure, .abandoned: break
            }
        }
    }

    private static func place(of entry: CacheKey) -> Int { Int(truncatingIfNeeded: entry.low % UInt64(placeCount)) }

    private static func isUnusable(_ entry: CacheKey, _ state: borrowing State) -> Bool {
        !state.unusable.isEmpty && state.unusable[place(of: entry)] == entry
    }

    /// Sets room aside for bytes that are kept for others; `false` if there is none.
    func reserve(_ count: Int) -> Bool {
        state.withLock { state in
            guard count <= totalLimit - state.gatheredBytes else { return false }
            state.gatheredBytes += count
            return true
        }
    }

    func release(_ count: Int) {
        state.withLock { $0.gatheredBytes -= count }
    }
}
