import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

@testable import NetKitPostgres

/// Two queues of a database, which have entries with the same identifier.
@Suite(.needs(.postgres), .needsTheMachine(for: .seconds(60)))
struct PostgresQueuesTests {
    private let testDatabase: TestDatabase
    private let database: Postgres
    private let mine: PostgresOutbox
    private let other: PostgresOutbox
    private let entry: OfflineEntry

    /// Adds an entry to the queue `orders`.
    init() async throws {
        testDatabase = try await TestDatabase()
        database = try await Postgres(testDatabase.url)
        mine = database.outbox("orders")
        try await mine.open(clock: .system) { _ in }
        other = database.outbox("mails")
        try await other.open(clock: .system) { _ in }
        entry = try await Self.add(.numbered(1, lane: "a"), to: mine)
    }

    private static func add(_ request: QueuedRequest, to store: PostgresOutbox) async throws -> OfflineEntry {
        let addition = OfflineAddition(request: request, byteCount: 10)
        guard case .added(let entry, _, _) = try await store.append(addition, within: OfflineBounds()) else {
            throw PeerError("the entry was not added")
        }
        return entry
    }

    /// Another request with the identifier of the entry.
    private var namesake: QueuedRequest {
        var request = QueuedRequest.numbered(2, lane: "a")
        request.id = entry.id
        return request
    }

    private func row(of queue: String) async throws -> String {
        try await testDatabase.sql(
            """
            SELECT e.request ->> 'url', e.state, e.begun, e.to_be_removed, e.attempts, e.not_before IS NULL
            FROM netkit.entry e JOIN netkit.shard s ON s.id = e.shard WHERE s.queue = '\(queue)'
            """
        )
    }

    private func close() async {
        await mine.close(within: .seconds(1))
        await other.close(within: .seconds(1))
        await database.close()
    }

    // MARK: - Adding

    @Test(arguments: [OfflineBounds(), OfflineBounds(maxEntries: 10)])
    func eachQueueTakesAnEntryOfTheName(bounds: OfflineBounds) async throws {
        let addition = OfflineAddition(request: namesake, byteCount: 10)
        let adding = Task { try await other.append(addition, within: bounds) }
        let alarm = NetKitClock.system.scheduleWakeUp(at: NetKitClock.system.now.advanced(by: .seconds(60))) {
            adding.cancel()
        }
        guard case .added(let added, _, _) = try await adding.value else { throw PeerError("it was not added") }
        alarm.cancel()
        #expect(added.id == entry.id)
        #expect(try await row(of: "orders") == "/a/1|w|f|f|0|t")
        #expect(try await row(of: "mails") == "/a/2|w|f|f|0|t")
        await close()
    }

    @Test func aTransactionOfTheCallerAddsAnEntryOfTheName() async throws {
        let call = """
            SELECT netkit.enqueue('mails', '{"method": "POST", "url": "/a/2"}', lane => 'a', id => '\(entry.id)') IS NOT NULL
            """
        #expect(try await testDatabase.sql(call) == "t")
        #expect(try await row(of: "mails") == "/a/2|w|f|f|0|t")
        await close()
    }

    @Test func theSpillFolderKeepsAnEntryOfTheNameUntilItIsInItsOwnQueue() async throws {
        let folder = try TemporaryFolder()
        let journal = JSONOfflineStore(directory: folder.url)
        _ = try await journal.append(OfflineAddition(request: namesake, byteCount: 10), within: OfflineBounds())
        await journal.close(within: .seconds(1))
        let store = database.outbox("mails", spill: folder.url)
        try await store.open(clock: .system) { _ in }
        while await !store.spilledEntries.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        #expect(try await row(of: "mails") == "/a/2|w|f|f|0|t")
        await store.close(within: .seconds(1))
        await close()
    }

    // MARK: - Everything else

    enum Change: CaseIterable, Sendable {
        case load, browse, begin, commit, release, bury, putBack, revive, remove
    }

    private func perform(_ change: Change, with store: PostgresOutbox) async throws {
        switch change {
        case .load: _ = try await store.load([entry.id, UUID()])
        case .browse: _ = try await store.browse(OfflineFilter(ids: [entry.id]), after: nil, limit: 1)
        case .begin: _ = try await store.begin(entry.id)
        case .commit: try await store.commit(entry.id, sentAs: nil)
        case .release:
            var update = OfflineUpdate(entry)
            (update.retryCount, update.wait) = (3, .seconds(600))
            _ = try await store.release(entry.id, update)
        case .bury:
            var update = OfflineUpdate(entry)
            update.state = .deadLetter
            _ = try await store.release(entry.id, update)
        case .putBack: _ = try await store.release(entry.id, nil)
        case .revive: _ = try await store.revive([entry.id])
        case .remove: _ = try await store.remove([entry.id])
        }
    }

    /// Whether the other queue has an entry of the name or not, and whether its own one waits or is a dead letter.
    @Test(arguments: Change.allCases, [false, true])
    func aQueueChangesOnlyItsOwnEntry(change: Change, hasNamesake: Bool) async throws {
        if hasNamesake { _ = try await Self.add(namesake, to: other) }
        for state in ["w", "d", "c"] {
            _ = try await testDatabase.sql(
                """
                UPDATE netkit.entry SET state = '\(state)', begun = \(change == .putBack), attempts = 7,
                  not_before = clock_timestamp() + interval '1 h'
                WHERE request ->> 'url' = '/a/1'
                """
            )
            let before = try await row(of: "orders")
            try await perform(change, with: other)
            #expect(try await row(of: "orders") == before, "\(state)")
        }
        await close()
    }

    @Test func aQueueReadsOnlyItsOwnEntry() async throws {
        #expect(try await other.load([entry.id]).isEmpty)
        #expect(try await other.load([entry.id, UUID()]).isEmpty)
        #expect(try await !other.begin(entry.id))
        #expect(try await !other.release(entry.id, nil))
        #expect(try await other.revive([entry.id]).isEmpty)
        let removal = try await other.remove([entry.id])
        #expect(removal.removed.isEmpty && removal.asked.isEmpty)
        _ = try await Self.add(namesake, to: other)
        #expect(try await other.load([entry.id])[entry.id]?.get().request.endpoint == "/a/2")
        #expect(try await mine.load([entry.id])[entry.id]?.get().request.endpoint == "/a/1")
        #expect(try await other.remove([entry.id]).removed.map(\.id) == [entry.id])
        #expect(try await row(of: "orders") == "/a/1|w|f|f|0|t")
        await close()
    }
}
