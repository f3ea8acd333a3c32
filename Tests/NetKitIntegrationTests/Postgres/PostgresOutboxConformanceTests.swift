import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

@testable import NetKitPostgres

/// Tests of every promise of a store, over a database whose stores have connections of their own, as in different
/// processes;
/// sealed ones have a spill folder as well.
@Suite(.needs(.postgres), .needsTheMachine)
struct PostgresOutboxConformanceTests {
    private static let name = Task { try await PostgresServer.shared.value.makeDatabase() }

    private func conformance(isSealed: Bool, _ folder: TemporaryFolder) -> OfflineStoreConformance {
        OfflineStoreConformance(isShared: true, isLasting: true) {
            let (server, name) = (try await PostgresServer.shared.value, try await Self.name.value)
            let queue = "queue " + UUID().uuidString
            let seal = isSealed ? RecordSeal(seal: { Data($0.reversed()) }, open: { Data($0.reversed()) }) : nil
            return {
                // Each store is a process with a folder of its own.
                let spill = isSealed ? folder.file(UUID().uuidString) : nil
                return try await Postgres(server.url(name)).outbox(queue, spill: spill, seal: seal)
            }
        }
    }

    @Test(arguments: OfflineStoreConformance.cases, [false, true])
    func keepsItsPromise(conformanceCase: OfflineStoreConformance.Case, isSealed: Bool) async throws {
        let folder = try TemporaryFolder()
        let result = await conformance(isSealed: isSealed, folder).run(conformanceCase)
        #expect(result.isKept, "\(result)")
        #expect(result.verdict != .skipped || conformanceCase.name == "reopen.locked", "\(result)")
    }
}
