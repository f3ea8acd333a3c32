import Foundation
import NetKitTesting
import Testing

@testable import NetKit

struct DynamicResponseTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func read(
        _ content: Data,
        _ type: String?,
        status: HTTPStatus = 200,
        isDeclared: Bool = true,
        settings: PayloadSettings = PayloadSettings(maxBufferedBytes: 100)
    ) async throws -> DynamicResponse {
        var headers = HTTPHeaders()
        if let type { headers["Content-Type"] = type }
        let chunks = content.isEmpty ? [] : [content]
        let body = isDeclared ? ResponseBody(content) : ResponseBody(source: ScriptedSource(chunks))
        let response = HTTPResponse(status: status, headers: headers, body: body)
        return try await DynamicResponse(
            reading: response,
            settings: settings,
            folder: folder.url
        )
    }

    @Test(arguments: [
        "application/json", "application/json; charset=utf-8", "Application/Vnd.API+JSON", "text/json",
        "application/problem+json",
    ])
    func jsonIsAValue(_ type: String) async throws {
        #expect(try await read(Data(#"{"a":[1]}"#.utf8), type) == .json(["a": [1]]))
    }

    @Test(arguments: [
        ("text/plain", Data("é".utf8), "é"), ("text/plain; charset=ISO-8859-1", Data([0xE9]), "é"),
        ("text/html; charset=\"windows-1252\"", Data([0x80]), "€"),
        ("text/csv; charset=utf-16", Data([0xFE, 0xFF, 0, 0x61]), "a"),
        ("application/xml", Data("<a/>".utf8), "<a/>"), ("image/svg+xml", Data("<svg/>".utf8), "<svg/>"),
        ("text/plain; charset=nonsense", Data("é".utf8), "é"),
        ("text/plain; charset=shift_jis", Data([0x83, 0x65]), "テ"),
    ])
    func textIsInItsCharset(_ type: String, _ content: Data, _ text: String) async throws {
        #expect(try await read(content, type) == .text(text))
    }

    @Test(arguments: [
        ("application/pdf", "pdf"), ("image/png; x=y", "png"), ("application/octet-stream", "bin"), ("a/b", "bin"),
    ])
    func everythingElseIsAFile(_ type: String, _ suffix: String) async throws {
        let content = Data(repeating: 7, count: 1000)
        guard case .file(let file, let mediaType) = try await read(content, type, isDeclared: false) else {
            Issue.record("no file")
            return
        }
        #expect(file.pathExtension == suffix)
        #expect(mediaType == type.prefix { $0 != ";" })
        #expect(try Data(contentsOf: file) == content)
        #expect(try folder.names == [file.lastPathComponent])
    }

    @Test func noOtherUserCanReadAFile() async throws {
        guard case .file(let file, _) = try await read(Data([1]), "application/pdf") else {
            Issue.record("no file")
            return
        }
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path(percentEncoded: false))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func aFileHasABound() async throws {
        var settings = PayloadSettings()
        settings.maxFileBytes = 10
        let error = await #expect(throws: NetKitError.self) {
            try await read(Data(count: 11), "application/pdf", isDeclared: false, settings: settings)
        }
        #expect(error?.code == .bodyTooLarge)
        #expect(try folder.names.isEmpty)
    }

    @Test func withoutAContentTypeTheBytesDecide() async throws {
        #expect(try await read(Data("text".utf8), nil) == .text("text"))
        for bytes in [Data([0xFF, 0xFE, 0]), Data([0x61, 0]), Data(repeating: 0x61, count: 101)] {
            guard case .file(let file, "application/octet-stream") = try await read(bytes, nil) else {
                Issue.record("no file")
                continue
            }
            #expect(try Data(contentsOf: file) == bytes)
        }
    }

    @Test(arguments: [99, 100, 101, 250])
    func withoutALengthALargeBodyIsAFileToo(_ count: Int) async throws {
        let text = String(repeating: "a", count: count)
        let chunks = stride(from: 0, to: count, by: 30).map { Data(text.utf8.dropFirst($0).prefix(30)) }
        let source = ScriptedSource(chunks)
        let response = HTTPResponse(status: 200, body: ResponseBody(source: source))
        let settings = PayloadSettings(maxBufferedBytes: 100)
        switch try await DynamicResponse(reading: response, settings: settings, folder: folder.url) {
        case .text(let found) where count <= 100: #expect(found == text)
        case .file(let file, "application/octet-stream") where count > 100:
            #expect(try Data(contentsOf: file) == Data(text.utf8))
        case let other: Issue.record("\(other)")
        }
        #expect(source.cancellations.count == 0)
    }

    @Test func aBodyThatIsTooLargeAfterItsStartIsAbandoned() async throws {
        let source = ScriptedSource([Data(count: 101), Data(count: 101)])
        let response = HTTPResponse(status: 200, body: ResponseBody(source: source))
        let ends = Notebook<BodyEnd>()
        response.body.onEnd { ends.add($0) }
        var settings = PayloadSettings(maxBufferedBytes: 100)
        settings.maxFileBytes = 150
        let error = await #expect(throws: NetKitError.self) {
            try await DynamicResponse(reading: response, settings: settings, folder: folder.url)
        }
        #expect(error?.code == .bodyTooLarge)
        #expect(ends.entries.map(\.isAbandoned) == [true])
        #expect(try folder.names.isEmpty)
    }

    @Test func aBodyThatBreaksOffAfterItsStartIsAnError() async throws {
        let error = NetKitError(.connectionLost, "Gone.", outcome: .answered)
        let source = ScriptedSource([Data(count: 101)], error: error)
        let response = HTTPResponse(status: 200, body: ResponseBody(source: source))
        let settings = PayloadSettings(maxBufferedBytes: 100)
        let thrown = await #expect(throws: NetKitError.self) {
            try await DynamicResponse(reading: response, settings: settings, folder: folder.url)
        }
        #expect(thrown?.code == .connectionLost)
        #expect(try folder.names.isEmpty)
    }

    @Test func aBodyThatIsNotThereIsEmpty() async throws {
        for type in ["application/json", "text/plain", "application/pdf", nil] {
            #expect(try await read(Data(), type) == .empty)
            #expect(try await read(Data(), type, isDeclared: false) == .empty)
            #expect(try await read(Data("x".utf8), type, status: 204) == .empty)
        }
        #expect(try folder.names.isEmpty)
    }

    @Test func aBodyOfAnotherTypeIsAnError() async throws {
        let error = await #expect(throws: NetKitError.self) {
            try await read(Data("<secret>".utf8), "application/json")
        }
        #expect(error?.code == .decoding)
        #expect(error?.description.contains("secret") == false)
        #expect(error?.response?.body == Data("<secret>".utf8))
        let large = await #expect(throws: NetKitError.self) { try await read(Data(count: 101), "text/plain") }
        #expect(large?.code == .bodyTooLarge)
    }

    @Test func isAResultOfAnEndpoint() async throws {
        let transport = MockTransport()
        transport.stub(.get, "/v1/a", .json([1]))
        let client = HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [])
        #expect(try await client.send(Endpoint<DynamicResponse>.get("/a")) == .json([1]))
        #expect(transport.requests.first?.headers["Accept"] == "application/json, */*;q=0.8")
    }
}
