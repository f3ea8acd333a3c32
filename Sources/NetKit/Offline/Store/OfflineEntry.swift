public import Foundation

/// The properties of an entry besides the request itself: everything that decides when it is sent.
public struct OfflineEntry: Sendable, Identifiable, Hashable {
    /// The state of an entry.
    public struct State: Sendable, Hashable, CustomStringConvertible {
        /// A byte, where a string would be copied and compared.
        private enum Name: String {
            case waiting
            case deadLetter = "dead"
            case conflict
        }

        private let name: Name

        /// The state's name, as it is kept on disk.
        public var description: String { name.rawValue }

        /// The state of an entry that waits to be sent.
        public static let waiting = State(name: .waiting)
        /// The state of an entry that was given up and is kept for inspection; `retry` makes it wait again.
        public static let deadLetter = State(name: .deadLetter)
        /// The state of an entry with a conflict that a person has to resolve.
        public static let conflict = State(name: .conflict)

        /// Creates the state of a name; an unknown name becomes `.deadLetter`, so that a person sees it.
        init(named name: Substring) { self.init(name: Name(rawValue: String(name)) ?? .deadLetter) }

        private init(name: Name) { self.name = name }
    }

    /// The entry's identifier.
    public let id: UUID
    /// The entry's place in the queue; lower is earlier.
    ///
    /// A store that several queues share may assign another position.
    public var position: Int64
    /// The lane.
    public var lane: String
    /// The rank of the lane; higher is earlier.
    public var priority: Int
    /// The time at which the change was made.
    public var timestamp: Date
    /// The time after which no attempt begins.
    public var expiresAt: Date? {
        get { rare?.value.expiresAt }
        set { rareFields.expiresAt = newValue }
    }
    /// The maximum number of attempts, if the request sets one.
    public var maxAttempts: Int? {
        get { rare?.value.maxAttempts }
        set { rareFields.maxAttempts = newValue }
    }
    /// The key of the resource that the request changes; `coalescing` applies to a waiting entry with the same key.
    public var coalescingKey: String?
    /// The number of bytes of the entry, including the body; less than zero counts as zero, and 1 TiB or more as 1 TiB
    /// without a byte.
    public var byteCount: Int { didSet { byteCount = Self.limited(byteCount) } }
    /// The number of failed attempts.
    public var retryCount: Int
    /// The number of conflicts.
    public var conflictCount: Int
    /// The state of the entry.
    public var state: State
    /// The earliest time of the next attempt.
    public var notBefore: Date? {
        get { rare?.value.notBefore }
        set {
            // The wait of an earlier update would shorten another one.
            if newValue != nil { postponedFor = nil }
            rareFields.notBefore = newValue
        }
    }
    /// The time for which attempts have failed since the entry was added or retried, as of the latest attempt.
    public var failingFor: Duration? {
        get { rare?.value.failingFor }
        set { rareFields.failingFor = newValue }
    }
    /// The time at which the entry became a dead letter or a conflict.
    public var settledAt: Date? {
        get { rare?.value.settledAt }
        set { rareFields.settledAt = newValue }
    }
    /// The status of the server's latest response to a dead letter or conflict.
    public var status: HTTPStatus? {
        get { rare?.value.status }
        set { rareFields.status = newValue }
    }
    /// The shard of its lane; 0 in a store that is not shared.
    public var shard = 0
    /// The name of the identity that the client has to have when the entry is sent; `nil` accepts any identity.
    ///
    /// A queue also requires identities without a persistent name, which it remembers until the process ends. Those are
    /// not stored here.
    public var identity: String?
    /// Whether the entry waits until the client has its identity again, as known to the queue that returned the entry.
    ///
    /// The value is not stored.
    public var waitsForIdentity = false

    /// The wait that ends at `notBefore`.
    var postponedFor: Duration? {
        get { rare?.value.postponedFor }
        set { rareFields.postponedFor = newValue }
    }

    /// Properties that most entries do not have; stored in each entry, they would take a third of a queue's memory.
    private struct RareFields: Hashable {
        var expiresAt: Date?
        var maxAttempts: Int?
        var notBefore: Date?
        var postponedFor: Duration?
        var failingFor: Duration?
        var settledAt: Date?
        var status: HTTPStatus?
    }

    /// The maximum number of bytes that an entry counts as; more could overflow when they are added up.
    static let maxByteCount = (1 << 40) - 1

    /// Returns the number of bytes that an entry of a size counts as.
    static func limited(_ byteCount: Int) -> Int { min(max(0, byteCount), maxByteCount) }

    private var rare: Box<RareFields>?

    private var rareFields: RareFields {
        get { rare?.value ?? RareFields() }
        set { if newValue != rareFields { rare = newValue == RareFields() ? nil : Box(newValue) } }
    }

    /// Creates the entry of a request that is new in a queue.
    public init(_ request: QueuedRequest, position: Int64, byteCount: Int) {
        id = request.id
        self.position = position
        lane = request.lane
        priority = request.priority
        timestamp = request.timestamp
        coalescingKey = request.coalescingKey
        self.byteCount = Self.limited(byteCount)
        retryCount = request.retryCount
        conflictCount = request.conflictCount
        identity = request.identity
        state = .waiting
        expiresAt = request.expiresAt
        maxAttempts = request.maxAttempts
    }

    /// Creates an entry from the columns of a database or the fields of a record; all other properties have their
    /// defaults.
    package init(
        id: UUID,
        position: Int64 = 0,
        lane: String = QueuedRequest.defaultLane,
        priority: Int = 0,
        timestamp: Date = Date(timeIntervalSince1970: 0),
        byteCount: Int = 0
    ) {
        self.id = id
        self.position = position
        self.lane = lane
        self.priority = priority
        self.timestamp = timestamp
        self.byteCount = Self.limited(byteCount)
        retryCount = 0
        conflictCount = 0
        state = .waiting
    }

    /// Returns the entry after an update at a date.
    public func updated(by update: OfflineUpdate, at date: Date) -> OfflineEntry {
        updated(by: update.dated(date))
    }

    /// Returns the entry after an update whose times are already dates.
    func updated(by update: OfflineUpdate) -> OfflineEntry {
        var entry = self
        entry.state = update.state
        entry.retryCount = update.retryCount
        entry.conflictCount = update.conflictCount
        var rare = rareFields
        rare.notBefore = update.notBefore
        rare.postponedFor = update.wait
        rare.failingFor = update.failingFor
        rare.settledAt = update.settledAt
        rare.status = update.state == .waiting ? nil : update.status
        if let request = update.request { rare.expiresAt = request.expiresAt }
        if update.removesExpiry { rare.expiresAt = nil }
        entry.rareFields = rare
        return entry
    }
}
