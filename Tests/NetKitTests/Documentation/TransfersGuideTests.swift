import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// The examples of the page on uploads and downloads, compiled and run.
@Suite(.needsTheMachine)
struct TransfersGuideTests {
    private struct Stored: Codable, Sendable { var id: Int }

    private let transport = MockTransport()
    private let temporary: TemporaryFolder
    private let photo: URL
    private let folder: URL

    init() throws {
        temporary = try TemporaryFolder()
        photo = try temporary.write(Data("photo".utf8), to: "photo.png")
        folder = temporary.url
        transport.stub(.post, "/v1/photos", .json(Stored(id: 7), status: 201))
        transport.stub(.get, "/v1/report", .data(Data("pdf".utf8), contentType: "application/pdf"))
        transport.stub(.get, "/v1/export.csv", .data(Data(count: 1000), contentType: "text/csv"))
    }

    private var client: HTTPClient { HTTPClient(baseURL: exampleBase, transport: transport, interceptors: []) }

    @Test func filesAreSentAndReceived() async throws {
        // GUIDE: begin
        let form = MultipartForm { form in
            form.field("title", "Holiday")
            form.file("photo", at: photo)
        }
        let response = try await client.upload(form, to: "/photos") { progress in
            print(progress.fractionCompleted ?? 0, progress.timeLeft ?? .zero)
        }
        let stored: Stored = try await client.upload(photo, to: "/photos")
        let saved = try await client.download("/report", to: folder)
        // GUIDE: end
        #expect(stored.id == 7)
        #expect(response.status == .created)
        #expect(saved.url.lastPathComponent == "report.pdf")
    }

    @Test func aBodyIsPassedOn() async throws {
        let target = MockTransport()
        target.stub(.put, "/v1/reports", .status(201))
        let archive = HTTPClient(baseURL: exampleBase, transport: target, interceptors: [])
        // GUIDE: begin
        let source = try await client.send(HTTPRequest(.get, "/report"))
        let (length, type) = (source.body.length, source.headers["Content-Type"])
        let body = HTTPBody.stream(length: length, contentType: type, source.body)
        let copied = try await archive.upload(body, to: "/reports", method: .put)
        // GUIDE: end
        #expect(copied.status == .created)
        #expect(target.requests.map(\.bodyText) == ["pdf"])
        #expect(target.requests.first?.headers["Content-Type"] == "application/pdf")
    }

    @Test func progressIsASequence() async throws {
        // GUIDE: begin
        let updates = TransferUpdates()
        async let upload = client.upload(photo, to: "/photos", options: CallOptions(progress: updates))
        for await progress in updates {
            print("\(progress.completed) of \(progress.total ?? 0)")
        }
        _ = try await upload
        // GUIDE: end
        #expect(updates.current.isFinished)
    }

    @Test func sizeAndDigestAreChecked() async throws {
        // The SHA-256 of a thousand zeros, by Python's hashlib.
        let digest = "541b3e9daa09b20bf85fa273e5cbd3e80185aa4ec298e765db87742b70138a53"
        // GUIDE: begin
        var rules = DownloadRules(isResumable: true)
        rules.expectedSHA256 = digest
        rules.expectedSize = 1000
        let saved = try await client.download("/export.csv", to: folder, upTo: 10 << 30, rules: rules) { progress in
            print(progress.fractionCompleted ?? 0)
        }
        print(saved.url, saved.byteCount, saved.resumedFrom)
        // GUIDE: end
        #expect(saved.sha256 == digest)
    }

    @Test func thePageShowsThisCode() throws {
        #expect(try GuidePage("Uploads-And-Downloads").shows(#filePath))
    }
}

/// The tests print nothing.
private func print(_ items: Any...) {}
