import Foundation
import NetKit
import NetKitTesting
import Testing

/// Tests of files, in a folder of the test's own.
struct ClientFileTests {
    private let folder: TemporaryFolder
    private let transport = MockTransport()
    private let client: HTTPClient

    init() throws {
        folder = try TemporaryFolder()
        client = HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [])
    }

    @Test func uploadsAFile() async throws {
        let bytes = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0) })
        let file = try folder.write(bytes, to: "up.bin")
        transport.stub(.put, "/files/1", .text("stored"))
        let response = try await client.upload(file, to: "/files/\(1)", method: .put, headers: ["X-Kind": "test"])
        #expect(response.body.buffered == Data("stored".utf8))
        let sent = try #require(transport.requests.first)
        #expect(sent.body == bytes)
        #expect(sent.headers["Content-Type"] == "application/octet-stream")
        #expect(sent.headers["X-Kind"] == "test")
    }

    @Test func anUploadThatIsRefusedIsAServerError() async throws {
        let file = try folder.write(Data("x".utf8), to: "up.bin")
        transport.stub(.post, "/files", .text("too big", status: 413))
        let error = await #expect(throws: NetKitError.self) { try await client.upload(file, to: "/files") }
        #expect(error?.code == .server)
        #expect(error?.status == .contentTooLarge)
    }

    @Test func aMissingFileIsSaidBeforeAnythingIsSent() async {
        let error = await #expect(throws: NetKitError.self) {
            try await client.upload(folder.file("nothing"), to: "/files")
        }
        #expect(error?.code == .file)
        #expect(transport.requests.isEmpty)
    }

    @Test func downloadsIntoAFile() async throws {
        let file = try folder.write(Data("old".utf8), to: "down.txt")
        transport.stub(.get, "/report", .stream([Data("one ".utf8), Data("two".utf8)]))
        let response = try await client.download("/report", to: file)
        #expect(response.status == .ok)
        #expect(try Data(contentsOf: file) == Data("one two".utf8))
        #expect(try folder.names == ["down.txt"])
        #expect(client.activeCallCount == 0)
    }

    @Test func aDownloadThatBreaksLeavesTheFileAsItWas() async throws {
        let file = try folder.write(Data("old".utf8), to: "down.txt")
        transport.stub(.get, "/report", .stream([Data("one ".utf8)], failingWith: URLError(.networkConnectionLost)))
        let error = await #expect(throws: NetKitError.self) { try await client.download("/report", to: file) }
        #expect(error?.code == .connectionLost)
        #expect(error?.outcome == .answered)
        #expect(try Data(contentsOf: file) == Data("old".utf8))
        #expect(try folder.names == ["down.txt"])
    }

    @Test func aDownloadKeepsItsBound() async throws {
        let file = folder.file("down.txt")
        transport.stub(.get, "/report", .stream([Data("12345".utf8), Data("6".utf8)]))
        let error = await #expect(throws: NetKitError.self) { try await client.download("/report", to: file, upTo: 5) }
        #expect(error?.code == .bodyTooLarge)
        #expect(try folder.names.isEmpty)
    }

    @Test func aDownloadThatIsRefusedWritesNothing() async throws {
        transport.stub(.get, "/report", .status(404))
        let error = await #expect(throws: NetKitError.self) {
            try await client.download("/report", to: folder.file("down.txt"))
        }
        #expect(error?.status == .notFound)
        #expect(try folder.names.isEmpty)
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
        try await client.download("/report", to: folder.file("down.txt"))
        #expect(attempt.withLock { $0 } == nil)
    }
}
