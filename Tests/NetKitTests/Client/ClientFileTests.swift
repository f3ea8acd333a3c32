import Foundation
import NetKit
import NetKitTesting
import Testing

/// Files go to a folder of the test's own.
struct ClientFileTests: ~Copyable {
    private let folder: URL
    private let transport = MockTransport()
    private let client: HTTPClient

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("netkit-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        client = HTTPClient(baseURL: exampleBase, transport: transport)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    private var contents: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
    }

    @Test func uploadsAFile() async throws {
        let file = folder.appendingPathComponent("up.bin")
        let bytes = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0) })
        try bytes.write(to: file)
        transport.stub(.put, "/files/1", .text("stored"))
        let response = try await client.upload(file, to: "/files/\(1)", method: .put, headers: ["X-Kind": "test"])
        #expect(response.body.buffered == Data("stored".utf8))
        let sent = try #require(transport.requests.first)
        #expect(sent.body == bytes)
        #expect(sent.headers["Content-Type"] == "application/octet-stream")
        #expect(sent.headers["X-Kind"] == "test")
    }

    @Test func anUploadThatIsRefusedIsAServerError() async throws {
        let file = folder.appendingPathComponent("up.bin")
        try Data("x".utf8).write(to: file)
        transport.stub(.post, "/files", .text("too big", status: 413))
        let error = await #expect(throws: NetKitError.self) { try await client.upload(file, to: "/files") }
        #expect(error?.code == .server)
        #expect(error?.status == .contentTooLarge)
    }

    @Test func aMissingFileIsSaidBeforeAnythingIsSent() async {
        let error = await #expect(throws: NetKitError.self) {
            try await client.upload(folder.appendingPathComponent("nothing"), to: "/files")
        }
        #expect(error?.code == .file)
        #expect(transport.requests.isEmpty)
    }

    @Test func downloadsIntoAFile() async throws {
        let file = folder.appendingPathComponent("down.txt")
        try Data("old".utf8).write(to: file)
        transport.stub(.get, "/report", .stream([Data("one ".utf8), Data("two".utf8)]))
        let response = try await client.download("/report", to: file)
        #expect(response.status == .ok)
        #expect(try Data(contentsOf: file) == Data("one two".utf8))
        #expect(contents == ["down.txt"])
        #expect(client.activeCallCount == 0)
    }

    @Test func aDownloadThatBreaksLeavesTheFileAsItWas() async throws {
        let file = folder.appendingPathComponent("down.txt")
        try Data("old".utf8).write(to: file)
        transport.stub(.get, "/report", .stream([Data("one ".utf8)], failingWith: URLError(.networkConnectionLost)))
        let error = await #expect(throws: NetKitError.self) { try await client.download("/report", to: file) }
        #expect(error?.code == .connectionLost)
        #expect(error?.outcome == .answered)
        #expect(try Data(contentsOf: file) == Data("old".utf8))
        #expect(contents == ["down.txt"])
    }

    @Test func aDownloadKeepsItsBound() async throws {
        let file = folder.appendingPathComponent("down.txt")
        transport.stub(.get, "/report", .stream([Data("12345".utf8), Data("6".utf8)]))
        let error = await #expect(throws: NetKitError.self) { try await client.download("/report", to: file, upTo: 5) }
        #expect(error?.code == .bodyTooLarge)
        #expect(contents.isEmpty)
    }

    @Test func aDownloadThatIsRefusedWritesNothing() async throws {
        transport.stub(.get, "/report", .status(404))
        let error = await #expect(throws: NetKitError.self) {
            try await client.download("/report", to: folder.appendingPathComponent("down.txt"))
        }
        #expect(error?.status == .notFound)
        #expect(contents.isEmpty)
    }

    @Test func filesTakeAsLongAsTheyTake() async throws {
        let attempt = Locked<Duration?>(.zero)
        transport.stub(
            .get,
            "/report",
            .respond { _, context in
                attempt.withLock { $0 = context.timeouts.attempt }
                return HTTPResponse(status: .ok)
            }
        )
        try await client.download("/report", to: folder.appendingPathComponent("down.txt"))
        #expect(attempt.withLock { $0 } == nil)
    }
}
