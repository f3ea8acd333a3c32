import NetKit
import Testing

@testable import netkit_bench

/// Tests of a queue that is measured.
struct QueueSubjectTests {
    @Test func enqueuesThatFailAreNotTakenForFastOnes() async throws {
        let folder = try ScratchFolder()
        defer { folder.remove() }
        let queue = try await QueueSubject.open(folder.url.appending(path: "queue"))
        await queue.close()
        await #expect(throws: NetKitError.self) { try await queue.fill(100) }
        await #expect(throws: NetKitError.self) { try await queue.churn(.seconds(5), backlog: 0, callers: 1) }
    }

    @Test func aDrainCountsTheEntriesThatWereSent() async throws {
        let folder = try ScratchFolder()
        defer { folder.remove() }
        let queue = try await QueueSubject.open(folder.url.appending(path: "queue"))
        try await queue.fill(200)
        let drained = await queue.drain()
        await queue.close()
        #expect(drained.calls == 200)
    }
}
