extension OfflineQueue {
    /// The configuration of a queue.
    public struct Configuration: Sendable {
        // MARK: Attempts

        /// The delays after failed attempts, the maximum number of attempts, and further retryable statuses.
        ///
        /// Statuses 408, 425, 429 and those from 500 on are always retryable. The other rules of the policy have no
        /// effect: `maxServerDelay` of the queue replaces that of the policy. A request that was certainly not sent,
        /// because there is no network or the circuit is open, costs no attempt.
        public var policy = RetryPolicy(
            maxAttempts: .max,
            backoffStrategy: .exponential(base: .seconds(2), cap: .seconds(600)),
            jitter: .equal
        )
        /// The number of failed attempts after which an entry becomes a dead letter, if it has also failed for
        /// `minRetryTime`.
        ///
        /// This bound gives up entries that can never succeed and hold up their lanes. It applies in addition to the
        /// bound of `policy`, and only to entries without their own number of attempts. The default is 25; `nil` sets
        /// no bound.
        ///
        /// An attempt during which the process ends, for example in a crash, does not count for any bound. Only
        /// ``QueuedRequest/expiresAt`` ends an entry whose every attempt does that.
        public var maxAttempts: Int? = 25
        /// The shortest time from the first failed attempt of an entry until `maxAttempts` applies; 24 hours by
        /// default.
        public var minRetryTime = Duration.seconds(86_400)
        /// The longest wait that a server may ask for; if it asks for more, the entry waits for this time.
        public var maxServerDelay = Duration.seconds(86_400)
        /// The time limit for an attempt; `nil` leaves it to the client.
        ///
        /// It covers redirects, waits for permits and a token refresh as well, and replaces the client's limit for an
        /// exchange (`timeouts.attempt`), because a large body may take long. The other limits of the client apply.
        public var timeout: Duration? = .seconds(120)
        /// The time for which a lane pauses after its credential was refused, unless `resume` or a new credential comes
        /// first.
        public var unauthorizedPause = Duration.seconds(900)

        // MARK: Lanes and capacity

        /// The number of lanes that are served at the same time.
        public var parallelLanes = 4
        /// The options of individual lanes; all other lanes have the default options.
        public var lanes: [String: LaneOptions] = [:]
        /// The maximum number of entries, including dead letters and conflicts.
        public var maxEntries = 100_000
        /// The maximum number of bytes of all entries.
        public var maxBytes = 1 << 30
        /// The rule for a new entry if the queue is full.
        public var overflow = OverflowPolicy.refuse
        /// The bounds for dead letters alone; none by default.
        public var deadLetters = DeadLetterBounds()
        /// The maximum number of bytes of a response's body that are kept with a dead letter or a conflict, and in
        /// events.
        ///
        /// A resolver of conflicts gets the server's version only if the whole body fits.
        public var maxResponseBytes = 64 << 10
        /// The number of unread events that are kept for a listener before it loses the oldest.
        public var maxBufferedEvents = 1024

        // MARK: Conflicts

        /// The default resolution of conflicts.
        public var conflictStrategy = ConflictResolutionStrategy.manual
        /// The resolver of conflicts.
        public var conflictResolver: any ConflictResolver = DefaultConflictResolver()
        /// The number of conflicts at which an entry is left for a person.
        public var maxConflicts = 3

        // MARK: Surroundings

        /// The time after which a shared store is listed again, and a failed store is tried again.
        ///
        /// While entries wait for a network, the monitor is asked again after the same time.
        public var refreshInterval = Duration.seconds(5)
        /// The clock.
        public var clock = NetKitClock.system
        /// The source of randomness for jitter and idempotency keys.
        public var random = RandomSource.system
        /// The rules for redacting sensitive values, which are not kept.
        ///
        /// Values that the redaction of the sending client treats as secret are not kept either.
        public var redaction = Redaction.standard
        /// The time limit for closing the store.
        var closingTime = OfflineQueue.closingTime

        /// Creates the default configuration.
        public init() {}

        /// The reason why the configuration cannot be used, as a sentence; `nil` if it can.
        var problem: String? {
            for (name, value) in [("refreshInterval", refreshInterval), ("unauthorizedPause", unauthorizedPause)]
            where value <= .zero {
                return "The queue's \(name) is \(value.shortText). Set a longer time."
            }
            if let count = deadLetters.maxEntries, count <= 0, !deadLetters.overflow.dropsOldest {
                return "The queue's deadLetters.maxEntries is \(count), at which it refuses every entry. Set 1 or "
                    + "more, or set deadLetters.overflow to .dropOldest, which keeps no dead letters then."
            }
            guard let timeout, timeout <= .zero else { return nil }
            return "The queue's timeout is \(timeout.shortText). Set a longer time, or nil for the client's limits."
        }
    }

    /// The rule for a new entry if the queue is full.
    public struct OverflowPolicy: Sendable, Hashable {
        let dropsOldest: Bool

        /// Refuses the entry: `enqueue` throws `.queueFull`.
        public static let refuse = OverflowPolicy(dropsOldest: false)
        /// Drops the oldest dead letters, and then the oldest entries that wait, each with an event.
        ///
        /// Entries make room only for entries of the same identity. Conflicts and entries that are being sent stay.
        public static let dropOldest = OverflowPolicy(dropsOldest: true)
    }

    /// The bounds of the dead letters of a queue.
    ///
    /// Each dead letter that is removed because of them is in a `.dropped` event, with its request and the server's
    /// response. One whose file cannot be opened now stays until it can be opened.
    public struct DeadLetterBounds: Sendable {
        /// The maximum number of dead letters; `nil` sets no bound.
        ///
        /// With `.dropOldest`, 0 keeps none. With `.refuse`, the queue would accept no entry, and cannot be opened.
        public var maxEntries: Int?
        /// The time for which dead letters are kept, by the clock of the machine; `nil` sets no bound.
        public var maxAge: Duration?
        /// The rule at `maxEntries`: `enqueue` throws `.queueFull` until there is room again, or the oldest dead
        /// letters are dropped.
        public var overflow: OverflowPolicy

        /// Creates bounds; by default there are none.
        public init(maxEntries: Int? = nil, maxAge: Duration? = nil, overflow: OverflowPolicy = .refuse) {
            self.maxEntries = maxEntries
            self.maxAge = maxAge
            self.overflow = overflow
        }
    }
}

/// The behavior of a lane besides keeping its order.
public struct LaneOptions: Sendable, Hashable {
    /// Whether a dead letter holds up the entries after it until it is retried or removed.
    public var deadLettersBlock: Bool
    /// Whether an entry that waits for a person holds up the entries after it.
    public var conflictsBlock: Bool

    /// Creates options; by default nothing blocks.
    public init(deadLettersBlock: Bool = false, conflictsBlock: Bool = false) {
        self.deadLettersBlock = deadLettersBlock
        self.conflictsBlock = conflictsBlock
    }
}
