import Foundation
import NetKitTesting
import Testing

@testable import NetKit

struct QueuedRequestTests {
    private static let bodies: [HTTPBody?] = [
        nil, .text("plain"), .data(Data()), .data(Data([0xFF, 0, 0x7F])), .text("\"\\\n\r\t\u{1}\u{7F}é😀\u{2028}"),
    ]

    private func full(_ body: HTTPBody?) -> QueuedRequest {
        QueuedRequest(
            HTTPRequest(.put, "/a b/\("ö/ü")?q=1", headers: ["X-One": "1", "x-one": "\"2\""], body: body),
            lane: "läne \"1\"",
            priority: -3,
            expiresAt: Date(timeIntervalSince1970: 1_900_000_000.5),
            maxAttempts: 7,
            coalescingKey: "key\n",
            coalescing: .keep,
            idempotencyKey: "k-1",
            baseETag: "\"v1\"",
            baseData: Data([0xC3, 0x28]),
            timestamp: Date(timeIntervalSince1970: 1_700_000_000.125),
            tags: ["a": "1", "b": "zwei"],
            identity: "ada \"1\""
        )
    }

    @Test(arguments: bodies.indices)
    func survivesBeingKept(index: Int) throws {
        let request = full(Self.bodies[index])
        let read = try JSONDecoder().decode(QueuedRequest.self, from: Data(JournalText.request(request)))
        #expect(read.id == request.id)
        #expect(read.method == request.method)
        #expect(read.endpoint == request.endpoint)
        #expect(read.headers == request.headers)
        #expect(read.body?.bytes == request.body?.bytes)
        #expect(read.body?.contentType == request.body?.contentType)
        #expect(read.lane == request.lane)
        #expect(read.priority == -3)
        #expect(read.expiresAt == request.expiresAt)
        #expect(read.maxAttempts == 7)
        #expect(read.coalescingKey == request.coalescingKey)
        #expect(read.coalescing == .keep)
        #expect(read.idempotencyKey == "k-1")
        #expect(read.baseETag == request.baseETag)
        #expect(read.baseData == request.baseData)
        #expect(read.timestamp == request.timestamp)
        #expect(read.tags == request.tags)
        #expect(read.identity == "ada \"1\"")
    }

    @Test(arguments: bodies.indices)
    func isWrittenByHandAsCodableWritesIt(index: Int) throws {
        let request = full(Self.bodies[index])
        let own = try JSONSerialization.jsonObject(with: Data(JournalText.request(request)))
        let coded = try JSONSerialization.jsonObject(with: JSONEncoder().encode(request))
        #expect((own as? NSDictionary) == (coded as? NSDictionary))
    }

    /// The writer looks at eight bytes a step.
    @Test func everyByteIsWrittenSoThatItIsReadAgainWhereverItStands() throws {
        var wrong: [String] = []
        for byte in UInt8.min ... .max {
            for place in 0..<19 {
                var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 19)
                bytes[place] = byte
                let string = String(decoding: bytes, as: UTF8.self)
                var text = JSONText()
                text.begin()
                text.add(text: "text", orBytes: "base64", Data(bytes))
                text.add("string", string)
                text.end()
                let read = try JSONDecoder().decode([String: String].self, from: Data(text.bytes))
                let kept = read["text"].map { Data($0.utf8) } ?? read["base64"].flatMap { Data(base64Encoded: $0) }
                if kept != Data(bytes) || read["string"] != string { wrong.append("\(byte) at \(place)") }
            }
        }
        #expect(wrong.isEmpty)
    }

    @Test func readsVersionZero() throws {
        let old = """
            {"id":"6F9619FF-8B86-D011-B42D-00C04FC964FF","method":"POST","path":"/orders","headers":{"A":"1"},
            "body":"{}","timestamp":1700000000000,"somethingElse":1}
            """
        let request = try JSONDecoder().decode(QueuedRequest.self, from: Data(old.utf8))
        #expect(request.endpoint == "/orders")
        #expect(request.headers == ["A": "1"])
        #expect(request.lane == QueuedRequest.defaultLane)
        #expect(request.retryCount == 0)
    }

    @Test func refusesAVersionThatIsNewer() {
        let new = Data("{\"v\":2,\"id\":\"6F9619FF-8B86-D011-B42D-00C04FC964FF\"}".utf8)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(QueuedRequest.self, from: new) }
    }

    @Test func isSentWithItsKeyAndWhatItIsBasedOn() {
        let request = full(.text("x")).request
        #expect(request.headers["Idempotency-Key"] == "k-1")
        #expect(request.headers["If-Match"] == "\"v1\"")
        #expect(request.url.absoluteString == "/a%20b/%C3%B6%2F%C3%BC?q=1")
    }

    @Test func isMadeFromAnEndpoint() async throws {
        let queue = try await OfflineQueue.testing(nil)
        var endpoint: Endpoint<Void> = .post("/orders", json: ["a": 1])
        endpoint.requiresAuth = false
        endpoint.idempotencyKey = .value("mine")
        try await queue.enqueue(QueuedRequest(endpoint, lane: "orders"))
        let pending = try #require(await queue.pending.first)
        #expect(pending.endpoint == "/orders")
        #expect(pending.body?.bytes == Data("{\"a\":1}".utf8))
        #expect(pending.body?.contentType == "application/json")
        #expect(!pending.requiresAuth)
        #expect(pending.idempotencyKey == "mine")
    }
}
