import Foundation
import NetKit
import NetKitTestSupport
import Testing

@testable import NetKitPostgres

/// Tests of what callers were told about their entries, while the server is killed again and again.
@Suite(.needs(.postgres), .needsTheMachine, .serialized)
struct PostgresCrashTests {
    private static let killCount = 3
    private static let callerCount = 24
    /// The number of entries after which the server is killed once more.
    private static let interval = 100

    private final class Told: Sendable {
        struct State {
            var added: Set<UUID> = []
            var notSent: Set<UUID> = []
            var others: [String] = []
        }

        let state = Locked(State())
        var addedCount: Int { state.withLock { $0.added.count } }
    }

    @Test func everyReportedOutcomeIsTrue() async throws {
        let own = try await PostgresServer()
        let name = try await own.makeDatabase()
        let told = Told()
        let isOver = Flag()
        let databases = [try await Self.open(own.url(name)), try await Self.open(own.url(name))]
        let callers = (0..<Self.callerCount).map { caller in
            let store = databases[caller % 2].outbox("orders")
            return Task {
                var number = 0
                while !isOver.isSet {
                    number += 1
                    await Self.add(.numbered(number, lane: "lane\(caller)"), to: store, repeats: caller % 4 == 0, told)
                }
            }
        }
        for kill in 1...Self.killCount {
            try await waitUntil { told.addedCount > kill * Self.interval }
            try await own.kill()
            // Some statements that were repeated find no server before their time ends.
            if kill.isMultiple(of: 2) { try await Task.sleep(for: .milliseconds(600)) }
            try await own.start()
        }
        try await waitUntil { told.addedCount > (Self.killCount + 1) * Self.interval }
        isOver.set()
        for caller in callers { await caller.value }
        let rows = try await own.sql("SELECT id FROM netkit.entry", in: name)
        let kept = Set(rows.split(separator: "\n").compactMap { UUID(uuidString: String($0)) })
        let (added, notSent, others) = told.state.withLock { ($0.added, $0.notSent, $0.others) }
        #expect(added.subtracting(kept) == [], "were added and are not there")
        #expect(notSent.intersection(kept) == [], "were not sent and are there")
        #expect(others == [])
        #expect(!notSent.isEmpty)
        for database in databases { await database.close() }
        await own.stop()
    }

    /// Opens a database whose statements have little time, which may be too little for those that open it on a busy
    /// machine.
    private static func open(_ url: String) async throws -> Postgres {
        var configuration = Postgres.Configuration()
        configuration.statementTimeout = .milliseconds(400)
        while true {
            do {
                return try await Postgres(url, configuration: configuration)
            } catch let error as NetKitError where error.code == .timeout {}
        }
    }

    /// Adds an entry, again and again under one name if wanted, and records the results.
    private static func add(
        _ request: QueuedRequest,
        to store: PostgresOutbox,
        repeats: Bool,
        _ told: Told
    ) async {
        while true {
            do {
                _ = try await store.append(
                    OfflineAddition(request: request, byteCount: 100),
                    within: OfflineBounds()
                )
                return told.state.withLock { _ = $0.added.insert(request.id) }
            } catch let error as NetKitError where [.storeUnavailable, .timeout].contains(error.code) {
                // An attempt that was not sent says nothing about the ones before it.
                if repeats { continue }
                if error.outcome == .notSent { told.state.withLock { _ = $0.notSent.insert(request.id) } }
                return
            } catch {
                return told.state.withLock { $0.others.append("\(error)") }
            }
        }
    }
}
