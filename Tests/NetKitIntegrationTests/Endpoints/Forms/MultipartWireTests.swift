import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of forms over a real socket: from memory, from disk, from a stream.
@Suite(.needsTheMachine)
struct MultipartWireTests {
    private let folder: TemporaryFolder
    private let server: MockServer

    init() throws {
        folder = try TemporaryFolder()
        server = try MockServer()
        server.on(.post, "/form", .status(201))
    }

    private func expected(_ form: MultipartForm) async throws -> Data {
        var bytes = Data()
        for try await chunk in form.body.chunks { bytes.append(chunk) }
        return bytes
    }

    @Test(arguments: WireTransport.allCases)
    func filesAndFieldsArriveWithTheirLength(_ wire: WireTransport) async throws {
        let first = try folder.write(patternedData(700_000), to: "first.png")
        let second = try folder.write(Data(), to: "empty.txt")
        var form = MultipartForm {
            $0.field("title", "Holiday é \"1\"")
            $0.file("photo", at: first)
            $0.data("raw", patternedData(300_000), contentType: "application/x-raw", headers: ["X-Part": "1"])
            $0.file("photo", at: second)
        }
        form.boundary = "boundary"
        let client = try wire.client(server.baseURL)
        #expect(try await client.upload(form, to: "/form").status == .created)
        let request = try #require(server.requests.first)
        let expected = try await expected(form)
        #expect(request.body == expected)
        #expect(request.headers["Content-Type"] == "multipart/form-data; boundary=boundary")
        #expect(request.headers["Content-Length"] == "\(expected.count)")
        #expect(request.headers["Transfer-Encoding"] == nil)
    }

    @Test(arguments: WireTransport.allCases)
    func aStreamedPartArrives(_ wire: WireTransport) async throws {
        func form(_ length: Int64?) -> MultipartForm {
            var form = MultipartForm { form in
                let chunks = AsyncStream { continuation in
                    for byte in UInt8(0)..<100 { continuation.yield(Data(repeating: byte, count: 1000)) }
                    continuation.finish()
                }
                form.add(
                    .init(name: "stream", body: .stream(length: length, contentType: "a/b", chunks), fileName: "s")
                )
            }
            form.boundary = "b"
            return form
        }
        let client = try wire.client(server.baseURL)
        let expected = try await expected(form(100_000))
        for length in [100_000, nil] as [Int64?] {
            try await client.upload(form(length), to: "/form")
            #expect(server.requests.last?.body == expected)
        }
        let declared = server.requests.first?.headers["Content-Length"]
        #expect(declared == "\(expected.count)")
        // A stream that is shorter or longer than declared is an error, and never a response.
        for length in [99_999, 100_001] as [Int64] {
            let error = await #expect(throws: NetKitError.self) { try await client.upload(form(length), to: "/form") }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test(arguments: WireTransport.allCases)
    func anUnreadableBodyIsRefusedBeforeSending(_ wire: WireTransport) async throws {
        let client = try wire.client(server.baseURL)
        for file in [folder.file("missing"), folder.url] {
            let error = await #expect(throws: NetKitError.self) {
                try await client.upload(MultipartForm { $0.file("f", at: file) }, to: "/form")
            }
            #expect(error?.code == .file)
            #expect(error?.outcome == .notSent)
        }
        #expect(server.requests.isEmpty)
        #expect(server.connectionCount == 0)
    }

    @Test(arguments: WireTransport.allCases)
    func progressCountsEveryByteOnceAndBeginsAgain(_ wire: WireTransport) async throws {
        server.on(.post, "/flaky", .status(503), .status(200))
        let file = try folder.write(patternedData(2_000_000), to: "file")
        let retry = RetryPolicy(
            maxAttempts: 2,
            backoffStrategy: .fixed(interval: .zero),
            jitter: .none,
            retryableMethods: [.post]
        )
        let client = try wire.client(server.baseURL, RetryInterceptor(retry))
        let seen = Locked<[TransferProgress]>([])
        let form = MultipartForm { $0.file("file", at: file) }
        try await client.upload(form, to: "/flaky") { progress in seen.withLock { $0.append(progress) } }
        let all = seen.withLock { $0 }
        let length = Int64(try #require(server.requests.last).body.count)
        #expect(all.last?.isFinished == true)
        #expect(all.last?.completed == length)
        #expect(all.last?.total == length)
        #expect(all.last?.attempt == 2)
        #expect(all.allSatisfy { $0.completed <= length })
        for (before, after) in zip(all, all.dropFirst()) where before.attempt == after.attempt {
            #expect(before.completed <= after.completed)
        }
    }
}
