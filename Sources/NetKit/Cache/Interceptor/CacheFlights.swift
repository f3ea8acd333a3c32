import Synchronization

/// The exchanges under way for entries that the cache cannot serve, one for each entry.
final class CacheFlights: Sendable {
    /// The properties that calls must have in common to share an exchange.
    ///
    /// The generation of the URL is one of them, because a call that starts after a change must not use a response from
    /// before.
    struct Key: Hashable {
        let entry: CacheKey
        let variants: [CacheKey]
        let generation: CacheWriteToken.Generation

        func hash(into hasher: inout Hasher) { hasher.combine(entry) }
    }

    /// The next step of a call that found no usable response.
    enum Entry {
        /// Performs the exchange for all waiting calls.
        case lead(CacheFlight)
        /// Waits for the exchange of another call.
        case wait(CacheFlight)
        /// Makes an exchange for itself.
        case alone
        /// Looks again, because an exchange has ended since it looked.
        case lookAgain
    }

    private struct State: ~Copyable {
        /// The flights of each URL; a URL without one has no place.
        var flights: [CacheResource: [Key: CacheFlight]] = [:]
        /// Entries whose last response could not be shared; each has one place, which another may take.
        var unusable: [CacheKey?] = []
        var gatheredBytes = 0
    }

    /// Whether the task makes an exchange that other calls wait for.
    ///
    /// Calls inside such a task do not wait for other exchanges, because two could wait for each other.
    @TaskLocal static var isLeading = false

    private static let placeCount = 1024
    /// The maximum number of bytes of one body that are kept for waiting calls.
    let maxBodyBytes: Int
    /// The maximum number of bytes of all bodies together.
    private let totalLimit: Int
    /// Changed with the flights, and read by every call.
    private let landed = Atomic<UInt64>(0)
    private let state = Locked(State())

    init(maxBodyBytes: Int) {
        self.maxBodyBytes = maxBodyBytes
        totalLimit = maxBodyBytes > .max / 4 ? .max : maxBodyBytes * 4
    }

    /// The number of exchanges that other calls can join.
    var count: Int { state.withLock { $0.flights.values.reduce(0) { $0 + $1.count } } }

    /// The number of calls that wait for one of them.
    var waitingCount: Int {
        state.withLock { $0.flights.values.flatMap(\.values) }.reduce(0) { $0 + $1.waitingCount }
    }

    /// The number of bytes that are kept for other calls.
    var gatheredBytes: Int { state.withLock { $0.gatheredBytes } }

    /// The number of exchanges that have ended.
    var landings: UInt64 { landed.load(ordering: .acquiring) }

    /// Returns the next step of a call that found no usable response, among the calls with the same key.
    ///
    /// `seen` is the number of exchanges that had ended before it looked; `nil` if it does not look again.
    func join(_ key: Key, _ call: Call, seen: UInt64?) -> Entry {
        state.withLock { state in
            let resource = key.entry.resource
            if let flight = state.flights[resource]?[key] {
                if Self.isLeading || Self.isUnusable(key.entry, state) { return .alone }
                // If it does not suit, later calls wait for this one's exchange.
                if flight.suits(call) { return .wait(flight) }
            }
            if let seen, seen != landings { return .lookAgain }
            let flight = CacheFlight(key, call, in: self)
            state.flights[resource, default: [:]][key] = flight
            return .lead(flight)
        }
    }

    /// Prevents calls from joining an exchange for a URL that has changed since it began; calls that already wait stay.
    func close(_ resource: CacheResource) {
        state.withLock { $0.flights[resource] = nil }
    }

    /// Removes a flight that has landed, and remembers whether its response could be shared.
    func remove(_ flight: CacheFlight, _ landing: CacheFlight.Landing) {
        let entry = flight.key.entry
        state.withLock { state in
            landed.wrappingAdd(1, ordering: .releasing)
            if state.flights[entry.resource]?[flight.key] === flight {
                state.flights[entry.resource]?[flight.key] = nil
                if state.flights[entry.resource]?.isEmpty == true { state.flights[entry.resource] = nil }
            }
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

    /// Reserves room for bytes that are kept for other calls; returns `false` if there is none.
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
