import NetKit

/// The counts of a queue in the database, which are read again after some seconds at the earliest.
final class OutboxCensus: Sendable {
    /// The counts that one statement reads.
    struct Counts: Sendable {
        var tally = OfflineTally()
        var laneClasses: [PostgresOutbox.Statistics.LaneClass] = []
        var lag = Duration.zero

        /// Adds the row of a class of lanes.
        fileprivate mutating func add(_ row: Row) throws {
            let waiting: Int = try row.value("waiting")
            tally.pendingCount += waiting
            tally.deadLetterCount += try row.value("dead", as: Int.self)
            tally.conflictCount += try row.value("conflicts", as: Int.self)
            tally.byteCount += try row.value("bytes", as: Int.self)
            tally.lastPosition = max(tally.lastPosition, try row.value("last"))
            lag = max(lag, try row.optional("lag") ?? .zero)
            guard let age = try row.optional("age", as: Duration.self) else { return }
            let name: String = try row.value("name")
            laneClasses.append(.init(name: name, waitingCount: waiting, oldestAge: max(.zero, age)))
        }
    }

    private typealias Reading = Promise<(counts: Counts, time: NetKitClock.Instant)>

    private struct State {
        var latest: (counts: Counts, time: NetKitClock.Instant)?
        var reading: Reading?
    }

    private enum Step {
        case known(Counts, age: Duration)
        case wait(Reading)
        case read(Reading)
    }

    /// The time for which counts are used again.
    static let maxAge = Duration.seconds(5)
    private let state = Locked(State())

    /// Returns the latest counts and their age; one of the callers reads new ones, and the others wait for its result.
    func counts(
        _ clock: NetKitClock,
        _ read: @Sendable () async throws -> Counts
    ) async throws -> (counts: Counts, age: Duration) {
        while true {
            switch nextStep(clock.now) {
            case .known(let counts, let age): return (counts, age)
            case .wait(let reading):
                do {
                    // The others wait for the same promise, so a cancellation must not resolve it; the wait is short.
                    let (counts, time) = try await reading.value()
                    return (counts, time.duration(to: clock.now))
                } catch is CancellationError where !Task.isCancelled {
                    // Only the caller that was reading is cancelled.
                }
            case .read(let reading):
                let time = clock.now
                do {
                    let counts = try await read()
                    state.withLock { ($0.latest, $0.reading) = ((counts, time), nil) }
                    reading.resolve(.success((counts, time)))
                    return (counts, time.duration(to: clock.now))
                } catch {
                    state.withLock { $0.reading = nil }
                    reading.resolve(.failure(error))
                    throw error
                }
            }
        }
    }

    private func nextStep(_ now: NetKitClock.Instant) -> Step {
        state.withLock { state in
            if let (counts, time) = state.latest, now < time.advanced(by: Self.maxAge) {
                return .known(counts, age: time.duration(to: now))
            }
            if let reading = state.reading { return .wait(reading) }
            let reading = Reading()
            state.reading = reading
            return .read(reading)
        }
    }
}

extension OutboxTable {
    /// The condition that an entry is in one of the shards from `$1` to `$2`, which are those of the queue with the
    /// name `$3`.
    ///
    /// Each part has an index. Without them, the entries of all queues would be read. The shards can be another queue's
    /// for a moment after the schema was made again, and nothing is read then.
    static let isInQueue = """
        (e.shard BETWEEN $1 AND $2 AND e.in_line OR e.shard BETWEEN $1 AND $2 AND e.state <> 'w')
          AND EXISTS (SELECT FROM netkit.queue q WHERE q.name = $3 AND q.base = $1)
        """

    /// The maximum number of lane classes, without the one for all others.
    static let maxLaneClasses = 16

    /// Reads the counts of the queue with one statement.
    ///
    /// `PostgresOutbox.Statistics.LaneClass` explains the classes. A pattern is only matched once for each word,
    /// because matching one for each row takes longer than the rest of the statement.
    func census() async throws -> OutboxCensus.Counts {
        let shards = try await shards(within: Self.censusLimit)
        let statement = Statement(
            """
            WITH words AS (
              SELECT split_part(translate(e.lane, ':/._', '----'), '-', 1) AS word,
                count(*) FILTER (WHERE e.state = 'w') AS waiting, count(*) FILTER (WHERE e.state = 'd') AS dead,
                count(*) FILTER (WHERE e.state = 'c') AS conflicts, sum(e.size) AS bytes, max(e.position) AS last,
                min(e.made_at) FILTER (WHERE e.state = 'w') AS oldest,
                min(greatest(e.made_at, e.not_before)) FILTER (
                  WHERE e.state = 'w' AND coalesce(e.not_before, e.made_at) <= clock_timestamp()) AS due
              FROM netkit.entry e WHERE \(Self.isInQueue) GROUP BY 1
            ), classes AS (
              SELECT CASE WHEN w.word ~ '^[A-Za-z]+$' AND length(w.word) <= 40 THEN w.word ELSE 'other' END AS class,
                sum(w.waiting) AS waiting, sum(w.dead) AS dead, sum(w.conflicts) AS conflicts, sum(w.bytes) AS bytes,
                max(w.last) AS last, min(w.oldest) AS oldest, min(w.due) AS due
              FROM words w GROUP BY 1
            ), ranked AS (
              SELECT CASE WHEN row_number() OVER (ORDER BY c.oldest, c.class) <= $4 THEN c.class ELSE 'other' END AS name, c.*
              FROM classes c
            )
            SELECT r.name, sum(r.waiting)::bigint AS waiting, sum(r.dead)::bigint AS dead,
              sum(r.conflicts)::bigint AS conflicts, sum(r.bytes)::bigint AS bytes, max(r.last) AS last,
              clock_timestamp() - min(r.oldest) AS age, clock_timestamp() - min(r.due) AS lag
            FROM ranked r GROUP BY r.name ORDER BY min(r.oldest), r.name
            """,
            .int4(shards.first),
            .int4(shards.last),
            .text(queue),
            .int8(Int64(Self.maxLaneClasses)),
            isRepeatable: true
        )
        var counts = OutboxCensus.Counts()
        for row in try await run(statement, within: Self.censusLimit) { try counts.add(row) }
        return counts
    }

    /// The time limit for reading the counts, so that a scrape of metrics does not wait for an unreachable database.
    private static let censusLimit = Duration.seconds(3)
}
