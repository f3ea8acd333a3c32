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

    @Test func bracketsDoNotHaveItsValuesEncodedTwice() throws {
        let kept = QueuedRequest(HTTPRequest(.put, "/x?filter[name]=\("a b")"))
        #expect(kept.endpoint == "/x?filter[name]=a%20b")
        #expect(kept.request.url.relativeString == "/x?filter%5Bname%5D=a%20b")
        let base = try BaseURL(try #require(exampleBase))
        let sent = try kept.request.resolved(against: base).url.absoluteString
        #expect(sent == "https://api.example.com/v1/x?filter%5Bname%5D=a%20b")
        #expect(try HTTPRequest(.put, "/x?filter[name]=\("a b")").resolved(against: base).url.absoluteString == sent)
    }

    @Test(arguments: bodies.indices)
    func survivesBeingKept(index: Int) throws {
        let request = full(Self.bodies[index])
        let read = try JSONDecoder().decode(QueuedRequest.self, from: Data(QueuedRequestJSON.bytes(of: request)))
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

    /// A client joins each path to its base URL.
    @Test(arguments: ["//orders/7", "tenant:5/orders", "/orders", "orders?a=b", "https://example.org/a?b=c"])
    func isSentWhereAClientSendsTheSamePath(path: String) throws {
        let base = try BaseURL(try #require(exampleBase))
        let request = HTTPRequest(.post, RequestPath(raw: path))
        let sent = try QueuedRequest(request).request.resolved(against: base)
        #expect(try sent.url == request.resolved(against: base).url)
    }

    @Test(arguments: bodies.indices)
    func isReadAgainAfterItWasEncoded(index: Int) throws {
        let request = full(Self.bodies[index])
        let read = try JSONDecoder().decode(QueuedRequest.self, from: JSONEncoder().encode(request))
        #expect(QueuedRequestJSON.bytes(of: read) == QueuedRequestJSON.bytes(of: request))
        // A property list has bytes of its own, and a decoder may expect another form of them.
        let list = try PropertyListEncoder().encode(request)
        let readFromList = try PropertyListDecoder().decode(QueuedRequest.self, from: list)
        #expect(QueuedRequestJSON.bytes(of: readFromList) == QueuedRequestJSON.bytes(of: request))
    }

    @Test func refusesABodyThatIsNotBase64() {
        let json = String(decoding: kept(3), as: UTF8.self).replacing("/wB/", with: "?")
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(QueuedRequest.self, from: Data(json.utf8)) }
    }

    @Test func encodesThePathOfAFile() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Data("x".utf8), to: "a b")
        let encoded = try JSONEncoder().encode(full(.file(at: file, contentType: "text/plain")))
        let values = try JSONDecoder().decode(JSONValue.self, from: encoded)
        #expect(values["bodyFile"]?.string == file.path(percentEncoded: false))
        #expect(values["contentType"]?.string == "text/plain")
        let read = try JSONDecoder().decode(QueuedRequest.self, from: encoded)
        #expect(read.body?.filePath == file.path(percentEncoded: false))
    }

    /// The file of the body would otherwise stay after the request was decoded and enqueued.
    @Test(arguments: [false, true]) func keepsThatAQueueTakesItsFile(takesFile: Bool) throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Data("x".utf8), to: "a")
        let request = QueuedRequest(HTTPRequest(.post, "/", body: .file(at: file)), takesFile: takesFile)
        let read = try JSONDecoder().decode(QueuedRequest.self, from: JSONEncoder().encode(request))
        #expect(read.takesFile == takesFile)
        #expect(try JSONValue(parsing: Data(QueuedRequestJSON.bytes(of: request)))["takesFile"] == nil)
    }

    /// A decoder without that strategy would otherwise miss its key and its condition, without an error.
    @Test func theStrategyOfAnEncoderChangesNoName() throws {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        var request = full(.data(Data("x".utf8)))
        request.takesFile = true
        let plain = try JSONValue(parsing: JSONEncoder().encode(request))
        #expect(try JSONValue(parsing: encoder.encode(request)) == plain)
        #expect(plain["takesFile"] == true)
    }

    @Test func aStreamCannotBeEncoded() {
        let body = HTTPBody.stream(AsyncStream<Data> { $0.finish() })
        let error = #expect(throws: NetKitError.self) { try JSONEncoder().encode(full(body)) }
        #expect(error?.code == .invalidRequest)
    }

    private static let parts = QueuedRequest.SeparateParts(
        id: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)),
        timestamp: Date(timeIntervalSince1970: 1_600_000_000),
        body: Data("outside".utf8)
    )

    private func fieldwise(_ json: [UInt8], _ parts: QueuedRequest.SeparateParts?) -> [UInt8]? {
        json.withUnsafeBytes { QueuedRequest(json: $0, parts) }.map { QueuedRequestJSON.bytes(of: $0) }
    }

    private func decoded(_ json: [UInt8], _ parts: QueuedRequest.SeparateParts?) throws -> [UInt8] {
        let decoder = JSONDecoder()
        if let parts { decoder.userInfo[try #require(QueuedRequest.separatePartsKey)] = parts }
        return QueuedRequestJSON.bytes(of: try decoder.decode(QueuedRequest.self, from: Data(json)))
    }

    /// Returns JSON with a blank after each colon and comma, as PostgreSQL writes it.
    private func spaced(_ json: [UInt8]) -> [UInt8] {
        var (spaced, isInText, isEscaped) = ([UInt8](), false, false)
        for byte in json {
            spaced.append(byte)
            if byte == UInt8(ascii: "\""), !isEscaped { isInText.toggle() }
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            if !isInText, byte == UInt8(ascii: ":") || byte == UInt8(ascii: ",") { spaced.append(0x20) }
        }
        return spaced
    }

    /// A role that may only add entries to a database could otherwise have any file of the sending machine sent.
    @Test func namesNoFileIfItsPartsAreOutsideItsJSON() {
        let json = #"{"method": "POST", "url": "https://example.org/", "bodyFile": "/etc/hostname"}"#
        let error = #expect(throws: DecodingError.self) { try QueuedRequest(json: Data(json.utf8), Self.parts) }
        guard case .dataCorrupted(let context)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["bodyFile"])
    }

    private func kept(_ index: Int) -> [UInt8] {
        var request = full(Self.bodies[index])
        request.previousIdempotencyKeys = ["k-0", ""]
        (request.requiresAuth, request.mayHaveArrived) = (index % 2 == 0, index % 2 == 1)
        return QueuedRequestJSON.bytes(of: request)
    }

    @Test func keepsThatItsKeyMayHaveArrived() throws {
        #expect(try JSONDecoder().decode(QueuedRequest.self, from: Data(kept(1))).mayHaveArrived)
    }

    @Test(arguments: bodies.indices)
    func isReadWithoutADecoderAsCodableReadsIt(index: Int) throws {
        for json in [kept(index), spaced(kept(index)), kept(index) + [0x0A]] {
            #expect(try fieldwise(json, nil) == decoded(json, nil))
            #expect(try fieldwise(json, Self.parts) == decoded(json, Self.parts))
        }
    }

    @Test(arguments: [
        "{}", "{\"url\": \"/\"}", "{\"url\":\"/\",\"method\":\"PUT\"}", "{\"method\":\"PUT\",\"url\":\"/\",\"v\":2}",
        "{\"url\":\"/\",\"method\":\"PUT\",\"headers\":{\"A\":\"1\"}}", "{\"url\":\"/\",\"method\":\"PUT\",\"x\":1}",
        "{\"url\":\"/\",\"method\":\"PUT\",\"lane\":null}", "{\"url\":\"/\",\"method\":\"PUT\",\"tags\":{}}",
        " { \"url\" : \"/\" , \"method\" : \"PUT\", \"tags\" : { \"a\" : \"1\" } } ", "[]", "",
        "{\"url\":\"/\",\"method\":\"PUT\",\"headers\":[[\"A\"],[ ],[\"B\",\"1\"]]}",
        "{\"url\":\"/\",\"method\":\"PUT\",\"priority\":9223372036854775808}", "{\"url\":\"/\",\"method\":\"PUT\",}",
        "{\"url\":\"/\",\"method\":\"PUT\",\"body\":\"a\",\"body64\":\"Yg==\",\"timestamp\":-1}",
        "{\"url\":\"/\",\"method\":\"PUT\",\"body64\":\"Yg==\",\"body\":\"a\",\"timestamp\":0}",
    ])
    func isNeverReadDifferentlyFromCodable(text: String) throws {
        let json = Array(text.utf8)
        for parts in [nil, Self.parts] {
            guard let read = fieldwise(json, parts) else { continue }
            #expect(try read == decoded(json, parts))
        }
    }

    /// Each byte of a stored request is replaced by some others.
    @Test func aDamagedRequestIsNeverReadDifferentlyFromCodable() {
        let json = spaced(kept(4))
        var (wrong, readCount) = ([Int](), 0)
        for place in json.indices {
            for byte in [UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: "0"), 0x5C, 0x20, 0x01, 0xFF] {
                var damaged = json
                damaged[place] = byte
                guard let read = fieldwise(damaged, nil) else { continue }
                readCount += 1
                if (try? decoded(damaged, nil)) != read { wrong.append(place) }
            }
        }
        #expect(wrong.isEmpty)
        #expect(readCount > 100)
    }

    /// The name of a tag can be any text, and the names of fields are compared where they stand.
    @Test func readsNamesWithEscapes() throws {
        var request = full(nil)
        request.tags = ["a\"\n": "1", "ä": "2", "": "3"]
        let json = QueuedRequestJSON.bytes(of: request)
        #expect(fieldwise(json, nil) == json)
        let text = String(decoding: json, as: UTF8.self)
        let escaped = Array(text.replacing(#""lane":"#, with: #""\u006cane":"#).utf8)
        #expect(escaped != json)
        #expect(fieldwise(escaped, nil) == nil)
        #expect(try decoded(escaped, nil) == json)
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
        let error = #expect(throws: NetKitError.self) { try JSONDecoder().decode(QueuedRequest.self, from: new) }
        #expect(error?.code == .decoding)
        #expect(error?.message.contains("version 2") == true)
    }

    @Test func isSentWithItsKeyAndItsBaseVersion() {
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

    /// With another key, the server would carry out an operation again that it knows by this one.
    @Test func aKeyThatIsSetAsAFieldAfterwardsIsKept() async throws {
        let queue = try await OfflineQueue.testing(nil)
        var request = QueuedRequest(HTTPRequest(.post, "/orders"))
        request.headers["Idempotency-Key"] = "mine"
        try await queue.enqueue(request)
        let pending = try #require(await queue.pending.first)
        #expect(pending.idempotencyKey == "mine")
        #expect(pending.request.headers["Idempotency-Key"] == "mine")
        await queue.close()
    }

    /// A row of a database with such a field has its identifier as the key, like one without a field.
    @Test(arguments: ["", " ", " \t"]) func anEmptyFieldIsNoKey(value: String) {
        let request = HTTPRequest(.post, "/orders", headers: ["Idempotency-Key": value])
        #expect(QueuedRequest(request).idempotencyKey == nil)
        #expect(!request.isRepeatable)
        #expect(QueuedRequest(HTTPRequest(.post, "/orders"), idempotencyKey: value).idempotencyKey == nil)
    }

    @Test func aFieldThatIsChangedAfterDecodingChangesTheKey() throws {
        let request = QueuedRequest(HTTPRequest(.post, "/orders", headers: ["Idempotency-Key": "first"]))
        var decoded = try JSONDecoder().decode(QueuedRequest.self, from: JSONEncoder().encode(request))
        #expect(decoded.idempotencyKey == "first")
        decoded.headers["Idempotency-Key"] = "second"
        #expect(decoded.idempotencyKey == "second")
    }

    @Test func aFieldThatIsChangedAfterwardsChangesTheKeyUnlessOneIsSet() async throws {
        let queue = try await OfflineQueue.testing(nil)
        var request = QueuedRequest(HTTPRequest(.post, "/orders", headers: ["Idempotency-Key": "first"]))
        #expect(request.idempotencyKey == "first")
        request.headers["Idempotency-Key"] = "second"
        try await queue.enqueue(request)
        request.id = UUID()
        request.idempotencyKey = "third"
        try await queue.enqueue(request)
        let pending = await queue.pending
        #expect(pending.map(\.idempotencyKey) == ["second", "third"])
        #expect(pending.map { $0.request.headers.values(of: "Idempotency-Key") } == [["second"], ["third"]])
        await queue.close()
    }

    /// A target that is not a URL could never be sent, and a mistake in it can be corrected.
    @Test func aTargetThatIsSetAfterwardsIsJudgedLikeAnother() async throws {
        let queue = try await OfflineQueue.testing(nil)
        let refused = QueuedRequest(HTTPRequest(.post, "/users/\("")"))
        var corrected = refused
        corrected.endpoint = "/users/a b"
        try await queue.enqueue(corrected)
        #expect(await queue.pending.map(\.endpoint) == ["/users/a%20b"])
        for target in ["", "http://[::1"] {
            var changed = QueuedRequest(HTTPRequest(.post, "/users"))
            changed.endpoint = target
            let request = changed
            let error = await #expect(throws: NetKitError.self) { try await queue.enqueue(request) }
            #expect(error?.code == .invalidURL)
        }
        let error = await #expect(throws: NetKitError.self) { try await queue.enqueue(refused) }
        #expect(error?.message.contains("is empty") == true)
        await queue.close()
    }
}
