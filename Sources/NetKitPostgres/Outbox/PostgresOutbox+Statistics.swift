public import NetKit

extension PostgresOutbox {
    /// The numbers of a queue and of this process's part in it.
    public struct Statistics: Sendable {
        /// The waiting entries of the lanes whose names begin with the same word.
        ///
        /// The class of a lane is its name up to the first of the characters `-`, `:`, `/`, `.` and `_`, if that
        /// consists of 1 to 40 ASCII letters: `customer-7` and `customer-8` have the class `customer`, and `default`
        /// its own. All other lanes have the class `other`. At most 16 classes are distinguished, those with the oldest
        /// entries.
        public struct LaneClass: Sendable, Hashable {
            /// The name of the class.
            public let name: String
            /// The number of its entries that wait or are being sent.
            public let waitingCount: Int
            /// The time since the oldest of them was added.
            public let oldestAge: Duration
        }

        /// The lease of this process.
        public struct Lease: Sendable, Hashable {
            /// The number of shards that this process owns.
            public let shardCount: Int
            /// The time until the lease ends if no heartbeat renews it; zero if it has ended.
            public let timeLeft: Duration
            /// The time since the latest heartbeat that succeeded; `nil` if none has.
            public let timeSinceHeartbeat: Duration?
        }

        /// The statements that this process has used for entries of the same kind, such as added ones.
        public struct Batches: Sendable, Hashable {
            /// The number of statements.
            public let statementCount: Int
            /// The number of entries in all of them.
            public let entryCount: Int
            /// The number of entries in the largest one.
            public let largest: Int

            /// The average number of entries of a statement; 0 if there was none.
            public var averageSize: Double {
                statementCount > 0 ? Double(entryCount) / Double(statementCount) : 0
            }

            init(_ counts: BatchCounts) {
                (statementCount, entryCount, largest) = (counts.batchCount, counts.itemCount, counts.largest)
            }
        }

        /// The numbers of entries of the whole queue.
        public let tally: OfflineTally
        /// The classes of lanes that have waiting entries, those with the oldest entries first.
        public let laneClasses: [LaneClass]
        /// The longest time for which a waiting entry could have been sent already.
        ///
        /// It counts from its addition, or from the end of its latest pause after a failure. An entry behind a failing
        /// one in the same lane counts as well, and so does an entry of a lane that is paused.
        public let lag: Duration
        /// The age of the numbers above, which are read from the database every 5 seconds at most.
        public let age: Duration
        /// The lease of this process; `nil` before the outbox is opened and after it is closed.
        public let lease: Lease?
        /// The statements that added entries.
        public let additions: Batches
        /// The statements that removed delivered entries.
        public let deliveries: Batches
        /// The number of all statements about the queue, heartbeats included.
        public let statementCount: Int

        /// The time since the oldest waiting entry was added; `nil` if none waits.
        public var oldestAge: Duration? { laneClasses.map(\.oldestAge).max() }
    }

    /// Returns the numbers of the queue and of this process's part in it.
    ///
    /// The entries are counted with one statement, which is shared by all calls within 5 seconds. It reads every row of
    /// the queue, but no request or body.
    ///
    /// - Throws: `.storeUnavailable` if the database is unreachable.
    public func statistics() async throws -> Statistics {
        let (counts, age) = try await census.counts(table.database.clock) { [table] in try await table.census() }
        return Statistics(
            tally: counts.tally,
            laneClasses: counts.laneClasses,
            lag: counts.lag,
            age: age,
            lease: leaseStatistics,
            additions: Statistics.Batches(adding.batches),
            deliveries: Statistics.Batches(committing.batches),
            statementCount: table.statementCount
        )
    }

    private var leaseStatistics: Statistics.Lease? {
        lease.map { lease in
            Statistics.Lease(
                shardCount: lease.shards.count,
                timeLeft: lease.timeLeft ?? .zero,
                timeSinceHeartbeat: lease.timeSinceHeartbeat
            )
        }
    }

    /// Returns the numbers of `statistics()` as metrics, and the number of entries in the spill folder.
    ///
    /// If the database is unreachable, those that only it knows are left out, and `netkit_queue_available` is 0.
    public func metricSamples() async -> [MetricSample] {
        let statistics = try? await statistics()
        var samples = statistics?.samples ?? []
        let available = statistics == nil ? 0.0 : 1
        samples.append(.gauge("available", "Whether the entries of the queue can be counted: 1 or 0.", available))
        if let spilled = try? await spill?.tally() {
            let help = "Entries that wait in the spill folder of this process."
            samples.append(.gauge("spilled_entries", help, Double(spilled.count)))
        }
        if let lease = leaseStatistics { samples += lease.samples }
        samples += Statistics.samples(Statistics.Batches(adding.batches), of: "add")
        samples += Statistics.samples(Statistics.Batches(committing.batches), of: "deliver")
        let help = "Statements about the queue, heartbeats included."
        samples.append(.counter("statements_total", help, Double(table.statementCount)))
        return samples
    }
}

extension MetricSample {
    /// Returns a value of the queue that rises and falls.
    fileprivate static func gauge(_ name: String, _ help: String, _ value: Double, _ labels: [String: String] = [:])
        -> MetricSample
    {
        MetricSample("netkit_queue_\(name)", .gauge, help, labels: labels, value: value)
    }

    /// Returns a value of the queue that only rises.
    fileprivate static func counter(_ name: String, _ help: String, _ value: Double, _ labels: [String: String] = [:])
        -> MetricSample
    {
        MetricSample("netkit_queue_\(name)", .counter, help, labels: labels, value: value)
    }
}

extension PostgresOutbox.Statistics {
    /// The numbers that the database knows.
    fileprivate var samples: [MetricSample] {
        var samples = tally.samples
        let lagHelp = "Longest time for which a waiting entry could have been sent already."
        samples.append(.gauge("lag_seconds", lagHelp, lag.inSeconds))
        let ageHelp = "Time since the oldest waiting entry was added, by class of lanes."
        for lanes in laneClasses {
            let (count, labels) = (Double(lanes.waitingCount), ["lane_class": lanes.name])
            samples.append(.gauge("waiting_entries", "Waiting entries, by class of lanes.", count, labels))
            samples.append(.gauge("oldest_age_seconds", ageHelp, lanes.oldestAge.inSeconds, labels))
        }
        return samples
    }

    /// Returns the metrics of the statements for one operation.
    fileprivate static func samples(_ batches: Batches, of operation: String) -> [MetricSample] {
        let (help, labels) = ("Statements that add entries or remove delivered ones.", ["operation": operation])
        return [
            .counter("batches_total", help, Double(batches.statementCount), labels),
            .counter("batch_entries_total", "Entries in those statements.", Double(batches.entryCount), labels),
        ]
    }
}

extension PostgresOutbox.Statistics.Lease {
    fileprivate var samples: [MetricSample] {
        let leftHelp = "Time until the lease of this process ends if it is not renewed."
        var samples: [MetricSample] = [
            .gauge("owned_shards", "Shards of the queue that this process owns.", Double(shardCount)),
            .gauge("lease_left_seconds", leftHelp, timeLeft.inSeconds),
        ]
        if let age = timeSinceHeartbeat?.inSeconds {
            samples.append(.gauge("heartbeat_age_seconds", "Time since the latest heartbeat of this process.", age))
        }
        return samples
    }
}
