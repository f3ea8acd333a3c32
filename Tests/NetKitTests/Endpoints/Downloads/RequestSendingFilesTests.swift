import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of files over anything that sends, in a folder of the test's own.
struct RequestSendingFilesTests {
    private struct StandIn: RequestSending {
        var payloadSettings = PayloadSettings(maxBufferedBytes: 100, maxErrorBodyBytes: 4)
        let respond: @Sendable (HTTPRequest, CallOptions) async throws -> HTTPResponse

        func send(_ request: HTTPRequest, options: CallOptions) async throws -> HTTPResponse {
            try await respond(request, options)
        }
    }

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func client(over transport: MockTransport) -> HTTPClient {
        HTTPClient(baseURL: URL(string: "https://api.example.com"), transport: transport)
    }

    @Test func aStandInUploadsAndDownloads() async throws {
        let file = try folder.write(Data("content".utf8), to: "file")
        let sender = StandIn { request, options in
            var sent = Data()
            if let body = request.body { for try await chunk in body.chunks { sent.append(chunk) } }
            let facts = [
                "\(request.method) \(request.url.absoluteString)", "\(String(decoding: sent, as: UTF8.self))",
                request.body?.contentType ?? "none", options.delivery?.description ?? "none",
                options.limitsAttempts ? "limited" : "unlimited",
            ]
            return HTTPResponse(status: 200, body: ResponseBody(Data(facts.joined(separator: ", ").utf8)))
        }
        let response = try await sender.upload(file, to: "/up", method: .put)
        let upload = "PUT /up, content, application/octet-stream, buffered up to 100 bytes, unlimited"
        #expect(response.body.buffered == Data(upload.utf8))
        try await sender.download("/down", to: file)
        #expect(try Data(contentsOf: file) == Data("GET /down, , none, streamed, unlimited".utf8))
    }

    @Test func theSendersOwnLimitsHold() async throws {
        let file = try folder.write(Data("content".utf8), to: "file")
        let sender = StandIn { _, _ in HTTPResponse(status: 507, body: ResponseBody(Data("no room".utf8))) }
        let error = await #expect(throws: NetKitError.self) { try await sender.upload(file, to: "/up") }
        #expect(error?.status == 507)
        #expect(error?.response?.body == Data("no r".utf8))
        #expect(error?.response?.isTruncated == true)
    }

    @Test func aRefusedUploadNamesItsRequest() async throws {
        let file = try folder.write(Data("content".utf8), to: "file")
        let transport = MockTransport()
        transport.stub(.post, "/up", .text("too big", status: 413))
        let error = await #expect(throws: NetKitError.self) {
            try await client(over: transport).upload(file, to: "/up?key=secret")
        }
        #expect(error?.status == 413)
        #expect(error?.requestLine == "POST https://api.example.com/up?key=***")
        #expect(error?.attempts == 1)
    }

    /// A path that is refused is shown as it is written.
    @Test(
        arguments: [
            ("/down?key=secret", "https://api.example.com/down"), ("/files/\("..")/down", "/files/../down"),
        ] as [(RequestPath, String)]
    )
    func aDownloadThatCannotBeginNamesItsRequest(path: RequestPath, shown: String) async throws {
        let transport = MockTransport()
        let file = folder.file("missing/file")
        let error = await #expect(throws: NetKitError.self) {
            try await client(over: transport).download(path, to: file)
        }
        #expect(error?.code == .file)
        #expect(error?.outcome == .notSent)
        #expect(error?.requestLine == "GET \(shown)")
        #expect(error?.attempts == 0)
        #expect(transport.requests.isEmpty)
    }

    @Test func aDownloadWhosePartCannotBeOpenedNamesItsRequest() async throws {
        let transport = MockTransport()
        let disk = FakeFileSystem()
        disk.makeFolder("/folder/")
        disk.fail(.openForAppending)
        let error = await #expect(throws: NetKitError.self) {
            let run = try DownloadRun(
                sender: client(over: transport),
                request: HTTPRequest(.get, "/down?key=s3cret"),
                destination: URL(fileURLWithPath: "/folder/saved"),
                rules: DownloadRules(isResumable: true),
                options: CallOptions(delivery: .streamed),
                fileSystem: disk
            )
            return try await run.run()
        }
        #expect(error?.code == .file)
        #expect(error?.outcome == .notSent)
        #expect(error?.requestLine == "GET https://api.example.com/down")
        #expect(error?.attempts == 0)
        #expect(transport.requests.isEmpty)
    }

    @Test func aDownloadThatCannotBeWrittenNamesItsRequest() async throws {
        let transport = MockTransport()
        transport.stub(.get, "/down", .text("content"))
        _ = try folder.write(Data("old".utf8), to: "down.txt")
        let rules = DownloadRules(existingFile: .refuse)
        let error = await #expect(throws: NetKitError.self) {
            try await client(over: transport).download("/down", to: folder.url, rules: rules)
        }
        #expect(error?.code == .file)
        #expect(error?.outcome == .answered)
        #expect(error?.requestLine == "GET https://api.example.com/down")
        #expect(error?.attempts == 1)
    }
}
