import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of a folder that is moved away while a queue has it open.
struct JournalOwnerTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func store(_ path: String = "queue") -> JSONOfflineStore {
        JSONOfflineStore(directory: folder.file(path))
    }

    @discardableResult
    private func add(_ number: Int64, to store: JSONOfflineStore) async throws -> UUID {
        let request = QueuedRequest.post("/\(number)")
        return try await store.append(request)
    }

    private func entries(in store: JSONOfflineStore) async throws -> Set<UUID> {
        Set(try await store.entries().map(\.id))
    }

    @Test(arguments: ["queue", "queue/journal-000000001.jsonl"])
    func aRemovedEntryIsWrittenAgain(path: String) async throws {
        let first = store()
        var ids: Set<UUID> = []
        for number in 1...4 { ids.insert(try await add(Int64(number), to: first)) }
        try FileManager.default.removeItem(at: folder.file(path))
        if path != "queue" { try FileManager.default.removeItem(at: folder.file("queue/lock")) }
        for number in 5...7 { ids.insert(try await add(Int64(number), to: first)) }
        await first.close()
        let second = store()
        #expect(try await entries(in: second) == ids)
        #expect(try await second.listing().quarantined.isEmpty)
    }

    @Test func nothingIsAcknowledgedOnceAnotherOwnerHasTheFolder() async throws {
        let first = store()
        var ids: Set<UUID> = []
        for number in 1...4 { ids.insert(try await add(Int64(number), to: first)) }
        try FileManager.default.removeItem(at: folder.file("queue/lock"))
        let second = store()
        #expect(try await entries(in: second) == ids)
        ids.insert(try await add(5, to: second))
        #expect(await thrownCode { try await add(6, to: first) } == .queueLocked)
        ids.insert(try await add(7, to: second))
        await second.close()
        // After the other one is closed, the first has the entries that it left.
        ids.insert(try await add(8, to: first))
        #expect(try await entries(in: first) == ids)
        await first.close()
        #expect(try await entries(in: store()) == ids)
    }

    @Test func missingParentsAreMade() async throws {
        let store = store("a/b/queue")
        let id = try await add(1, to: store)
        #expect(try await entries(in: store) == [id])
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("a").path())
        #expect(attributes[.posixPermissions] as? Int == 0o700)
    }

    /// A folder for each of its parts would be more than the stack of the journal's thread has room for.
    @Test func aPathThatIsTooLongIsAnError() async throws {
        let store = store(String(repeating: "a/", count: 20_000) + "queue")
        let error = await #expect(throws: NetKitError.self) { try await add(1, to: store) }
        #expect(error?.code == .file)
        #expect((error?.cause as? FileError)?.code == ENAMETOOLONG)
        #expect(try folder.names.isEmpty)
    }
}
