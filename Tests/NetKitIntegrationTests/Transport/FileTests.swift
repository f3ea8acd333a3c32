import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of files on a real disk, sent and received over a real socket.
@Suite(.needsTheMachine, .needs(.python3), .pythonServer)
struct FileTests {
    private let server: PythonServer
    private let client: HTTPClient
    private let folder: TemporaryFolder

    init() throws {
        server = try #require(PythonServer.current)
        client = HTTPClient(baseURL: server.base, transport: URLSessionTransport(), interceptors: [])
        folder = try TemporaryFolder()
    }

    @Test func aDownloadLeavesOnlyTheFile() async throws {
        let file = folder.file("big")
        let response = try await client.download("/big?bytes=1000000", to: file)
        #expect(response.status == .ok)
        #expect(try Data(contentsOf: file) == patternedData(1_000_000))
        #expect(try folder.names == ["big"])
    }

    @Test func aDownloadReplacesAFile() async throws {
        let file = try folder.write(Data("much longer than what comes".utf8), to: "file")
        try await client.download("/hello", to: file)
        #expect(try Data(contentsOf: file) == Data("hello".utf8))
    }

    @Test(arguments: [("/status/500", NetKitError.Code.server), ("/cut", .connectionLost)])
    func aDownloadThatFailsLeavesTheOldFile(_ path: String, _ code: NetKitError.Code) async throws {
        let file = try folder.write(Data("before".utf8), to: "file")
        let error = await #expect(throws: NetKitError.self) {
            try await client.download(RequestPath(raw: path), to: file)
        }
        #expect(error?.code == code)
        #expect(try Data(contentsOf: file) == Data("before".utf8))
        #expect(try folder.names == ["file"])
    }

    @Test func aDownloadOverItsBoundLeavesNothing() async throws {
        let file = folder.file("file")
        let error = await #expect(throws: NetKitError.self) {
            try await client.download("/big?bytes=1000", to: file, upTo: 999)
        }
        #expect(error?.code == .bodyTooLarge)
        #expect(try folder.names == [])
    }

    @Test func aCancelledDownloadLeavesNothing() async throws {
        let file = folder.file("file")
        let download = Task { [client] in try await client.download("/drip?key=download", to: file) }
        #expect(try await server.hasArrived("download"))
        download.cancel()
        await #expect(throws: CancellationError.self) { try await download.value }
        #expect(try await server.isGone("download"))
        #expect(try folder.names == [])
    }

    @Test func anUploadArrivesWhole() async throws {
        let file = try folder.write(patternedData(1_000_000), to: "file")
        let response = try await client.upload(file, to: "/echo", method: .put)
        let echo = try await response.body.json(Echo.self, upTo: 1 << 16)
        #expect(echo.method == "PUT")
        #expect(echo.length == 1_000_000)
        // The SHA-256 of 0, 1, … 250 repeated to a million bytes, by Python's hashlib.
        #expect(echo.sha256 == "2c030d49ec131bfbbb446ad21e7a2f12cdb4f2f4f3fda3ac709dd2e68a4646c7")
        #expect(echo.values(of: "content-type") == ["application/octet-stream"])
        #expect(echo.values(of: "content-length") == ["1000000"])
    }

    @Test func anUploadThatIsRefusedIsAnError() async throws {
        let file = try folder.write(Data("x".utf8), to: "file")
        let error = await #expect(throws: NetKitError.self) { try await client.upload(file, to: "/status/413") }
        #expect(error?.code == .server)
        #expect(error?.status == .contentTooLarge)
    }

    @Test func anUploadOfAMissingFileFailsBeforeAnythingIsSent() async throws {
        let error = await #expect(throws: NetKitError.self) {
            try await client.upload(folder.file("none"), to: "/echo")
        }
        #expect(error?.code == .file)
        #expect(error?.outcome == .notSent)
        #expect(error?.attempts == 0)
    }
}
