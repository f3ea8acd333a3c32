import Foundation
import NetKit
import NetKitTestSupport
import Testing

/// Tests of requests with files that only a real disk has.
@Suite(.needsTheMachine)
struct QueueFileTests {
    /// A file without content can have the greatest length of all.
    @Test(.enabled(if: FileManager.default.isWritableFile(atPath: "/dev/shm")))
    func aFileOfTheGreatestLengthIsRefused() async throws {
        let file = URL(fileURLWithPath: "/dev/shm/netkit-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data().write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: UInt64(Int64.max))
        try handle.close()
        let queue = try await OfflineQueue(store: InMemoryOfflineStore())
        let request = QueuedRequest(HTTPRequest(.post, "/files", body: .file(at: file)))
        let error = await #expect(throws: NetKitError.self) { try await queue.enqueue(request) }
        #expect(error?.code == .queueFull)
        await queue.close()
    }
}
