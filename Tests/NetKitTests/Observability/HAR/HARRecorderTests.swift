import Foundation
import NetKit
import NetKitTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct HARRecorderTests {
    private let time = TestClock(date: Date(timeIntervalSince1970: 1_700_000_000.25))
    private let transport = MockTransport()

    private func client(_ recorder: HARRecorder, _ others: [any Interceptor] = []) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.clock = time.clock
        return HTTPClient(
            baseURL: exampleBase,
            transport: transport,
            interceptors: InterceptorList(others + [recorder]),
            configuration: configuration
        )
    }

    private func entries(_ recorder: HARRecorder) throws -> [JSONValue] {
        #expect(try HARChecker.problems(in: recorder.data()) == [])
        return try #require(try JSONValue(parsing: recorder.data())["log"]?["entries"]?.array)
    }

    private func read(
        _ client: HTTPClient,
        _ request: HTTPRequest,
        _ delivery: Delivery = .streamed
    ) async throws -> Data {
        let options = CallOptions(delivery: delivery)
        return try await client.send(request, options: options).body.collect(upTo: 1 << 20)
    }

    @Test func anExchangeIsACompleteEntry() async throws {
        var timings = ExchangeTimings()
        (timings.nameResolved, timings.connected) = (.milliseconds(2), .milliseconds(5))
        (timings.secured, timings.firstByte) = (.milliseconds(9), .milliseconds(20))
        (timings.protocolVersion, timings.remoteAddress) = ("HTTP/2", "192.0.2.1")
        let (time, responseTimings) = (time, timings)
        transport.stub(
            .post,
            "/users",
            .respond { _, _ in
                time.advance(by: .milliseconds(50))
                return HTTPResponse(
                    status: .created,
                    headers: ["Content-Type": "application/json", "Set-Cookie": "a=s3cret"],
                    body: ResponseBody(Data(#"{"id":7,"token":"s3cret"}"#.utf8)),
                    timings: responseTimings
                )
            }
        )
        let recorder = HARRecorder(maxBodyBytes: 1000)
        let request = HTTPRequest(
            .post,
            "/users?token=s3cret&name=A%20b&flag",
            headers: ["Authorization": "Bearer s3cret", "X-Plain": "1"],
            body: .text(#"{"password":"s3cret","n":1}"#, contentType: "application/json")
        )
        _ = try await read(client(recorder), request, .buffered(upTo: 1000))
        let entry = try #require(try entries(recorder).first)
        #expect(entry["startedDateTime"] == "2023-11-14T22:13:20.250Z")
        #expect(entry["serverIPAddress"] == "192.0.2.1")
        #expect(entry["_attempt"] == 1)
        #expect(
            entry["timings"]
                == [
                    "blocked": -1, "dns": 2, "connect": 7, "ssl": 4, "send": 0, "wait": 11, "receive": 30,
                ]
        )
        #expect(entry["time"] == 50)
        let sent = entry["request"]
        #expect(sent?["method"] == "POST")
        #expect(sent?["url"] == "https://api.example.com/v1/users?token=***&name=A%20b&flag")
        #expect(
            sent?["queryString"]
                == [
                    ["name": "token", "value": "***"], ["name": "name", "value": "A b"], ["name": "flag", "value": ""],
                ]
        )
        #expect(sent?["postData"]?["text"]?.string == #"{"password":"***","n":1}"#)
        #expect(sent?["bodySize"] == 27)
        #expect(sent?["headers"]?.array?.contains(["name": "Authorization", "value": "***"]) == true)
        #expect(sent?["headers"]?.array?.contains(["name": "X-Plain", "value": "1"]) == true)
        let response = entry["response"]
        #expect(response?["status"] == 201)
        #expect(response?["statusText"] == "Created")
        #expect(response?["httpVersion"] == "HTTP/2")
        #expect(response?["content"]?["text"]?.string == #"{"id":7,"token":"***"}"#)
        #expect(response?["content"]?["size"] == 25)
        #expect(response?["content"]?["mimeType"] == "application/json")
        #expect(!String(decoding: recorder.data(), as: UTF8.self).contains("s3cret"))
    }

    @Test func everyAttemptAndRedirectIsASeparateEntry() async throws {
        transport.stub(
            .get,
            "/old",
            .status(503),
            .redirect(to: "https://ada:s3cret@api.example.com/v1/new?code=s3cret")
        )
        transport.stub(.get, "/new", .text("hello"))
        let recorder = HARRecorder()
        let retry = RetryInterceptor(RetryPolicy(backoffStrategy: .fixed(interval: .zero)))
        let body = try await read(client(recorder, [retry]), HTTPRequest(.get, "/old"))
        #expect(body == Data("hello".utf8))
        let entries = try entries(recorder)
        #expect(entries.map { $0["response"]?["status"]?.int } == [503, 302, 200])
        #expect(entries.map { $0["_attempt"]?.int } == [1, 2, 3])
        #expect(Set(entries.map { $0["_call"]?.string }).count == 1)
        #expect(entries[1]["response"]?["redirectURL"] == "https://***@api.example.com/v1/new?code=***")
        #expect(entries[2]["response"]?["content"]?["text"] == nil)
        #expect(!String(decoding: recorder.data(), as: UTF8.self).contains("s3cret"))
    }

    /// A transport may report when its connection was ready, although it was open already.
    @Test func aReusedConnectionHasNoTimesOfItsOpening() async throws {
        var timings = ExchangeTimings()
        timings.reusedConnection = true
        (timings.nameResolved, timings.connected) = (.milliseconds(2), .milliseconds(5))
        (timings.secured, timings.firstByte) = (.milliseconds(9), .milliseconds(20))
        transport.stub(.get, "/x", .respond { [timings] _, _ in HTTPResponse(status: .ok, timings: timings) })
        let recorder = HARRecorder()
        _ = try await read(client(recorder), HTTPRequest(.get, "/x"), .buffered(upTo: 100))
        let entry = try #require(try entries(recorder).first)
        #expect(
            entry["timings"]
                == [
                    "blocked": -1, "dns": -1, "connect": -1, "ssl": -1, "send": 0, "wait": 20, "receive": 0,
                ]
        )
    }

    @Test func aBodyIsStreamedWhileItIsRecorded() async throws {
        let pipe = BodyPipe(maxBytes: 1)
        transport.stub(.get, "/x", .respond { _, _ in HTTPResponse(status: .ok, body: ResponseBody(source: pipe)) })
        let recorder = HARRecorder(maxBodyBytes: 4)
        let body = try await client(recorder).send(HTTPRequest(.get, "/x")).body
        var reader = body.makeAsyncIterator()
        pipe.offer(Data("abc".utf8))
        #expect(try await reader.next() == Data("abc".utf8))
        #expect(recorder.count == 0)
        pipe.offer(Data("def".utf8))
        #expect(try await reader.next() == Data("def".utf8))
        pipe.finish(trailers: ["X-Sum": "6"])
        #expect(try await reader.next() == nil)
        #expect(body.trailers?["X-Sum"] == "6")
        let content = try #require(try entries(recorder).first?["response"]?["content"])
        #expect(content["size"] == 6)
        #expect(content["text"] == "abcd")
        #expect(content["_kept"] == 4)
    }

    @Test func anAbandonedBodyEndsItsExchange() async throws {
        let ended = Notebook<Bool>()
        let pipe = BodyPipe(maxBytes: 1, onCancel: { _ in ended.add(true) })
        transport.stub(.get, "/x", .respond { _, _ in HTTPResponse(status: .ok, body: ResponseBody(source: pipe)) })
        let recorder = HARRecorder(maxBodyBytes: 100)
        try await client(recorder).send(HTTPRequest(.get, "/x")).body.discard()
        #expect(ended.count == 1)
        #expect(try entries(recorder).first?["response"]?["content"]?["_comment"]?.string != nil)
    }

    /// The events are those without a recorder.
    @Test(arguments: [false, true])
    func anAbandonedBodyIsNoErrorOfItsExchange(isRecorded: Bool) async throws {
        transport.stub(
            .get,
            "/x",
            .respond { _, _ in HTTPResponse(status: .ok, body: ResponseBody(source: BodyPipe(maxBytes: 1))) }
        )
        let metrics = MetricsCollector()
        let client = client(HARRecorder(maxBodyBytes: isRecorded ? 100 : nil), [metrics])
        let events = client.events
        try await client.send(HTTPRequest(.get, "/x")).body.discard()
        await client.shutdown()
        var errors: [String] = []
        for await event in events where event.error != nil { errors.append("\(event.kind)") }
        #expect(errors == [])
        #expect(metrics.snapshot().series.map(\.result) == ["200"])
    }

    @Test func anExchangeThatTheDeadlineEndsIsATimeout() async throws {
        transport.stub(.get, "/x", .stalled)
        let recorder = HARRecorder()
        let client = client(recorder, [StagedInterceptor(.call) { try await $2($0, $1) }])
        let call = Task { try await client.send(HTTPRequest(.get, "/x"), options: CallOptions(timeout: .seconds(3))) }
        await transport.waitForRequests(1)
        time.advance(by: .seconds(3))
        _ = await call.result
        let error = try entries(recorder).first?["response"]?["_error"]?.string
        #expect(error?.hasPrefix("timeout: ") == true)
    }

    @Test(arguments: [Delivery.streamed, .buffered(upTo: 100)])
    func aTruncatedResponseRecordsItsError(delivery: Delivery) async throws {
        transport.stub(.get, "/x", .stream([Data("ab".utf8)], failingWith: URLError(.networkConnectionLost)))
        let recorder = HARRecorder(maxBodyBytes: 100)
        await #expect(throws: NetKitError.self) {
            _ = try await read(client(recorder), HTTPRequest(.get, "/x"), delivery)
        }
        let response = try #require(try entries(recorder).first?["response"])
        #expect(response["_error"]?.string?.hasPrefix("connectionLost: ") == true)
        if delivery == .streamed {
            #expect(response["status"] == 200)
            #expect(response["content"]?["text"] == "ab")
        }
    }

    @Test func aFailedExchangeIsAnEntry() async throws {
        transport.stub(.get, "/x", .failure(URLError(.cannotFindHost)))
        transport.stub(.get, "/y", .failure(CancellationError()))
        let (recorder, delivery) = (HARRecorder(), Delivery.buffered(upTo: 1))
        _ = try? await read(client(recorder), HTTPRequest(.get, "/x"), delivery)
        _ = try? await read(client(recorder), HTTPRequest(.get, "/y"), delivery)
        let responses = try entries(recorder).map { $0["response"] }
        #expect(responses.map { $0?["status"]?.int } == [0, 0])
        #expect(responses.first??["_error"]?.string?.hasPrefix("dns: ") == true)
        #expect(responses.first??["_outcome"] == "not sent")
        #expect(responses.last??["_error"] == "cancelled")
        #expect(responses.last??["_outcome"] == "outcome unknown")
    }

    @Test(
        arguments: [
            (Data("häh".utf8), "text/plain", "häh", nil), (Data([0xE4, 0x68, 0x68, 0x68]), "text/plain", "***", nil),
            (Data([0x68, 0xE4]), "text/plain; charset=iso-8859-1", "aOQ=", "base64"),
            (Data([0x68, 0xE4]), nil, "aOQ=", "base64"),
            (Data("abc".utf8), "image/png", "YWJj", "base64"), (Data(), "image/png", "", "base64"),
            (Data("häää".utf8), "text/plain", "hää", nil), (Data("a=1&token=x".utf8), "text/html", "a=1&t", nil),
            (Data("\u{1}\u{1F}\u{2028}\"".utf8), "text/plain", "\u{1}\u{1F}\u{2028}", nil),
            (Data("\u{0}a".utf8), "text/plain", "***", nil), (Data("{\u{0}".utf8), nil, "***", nil),
            (Data("abc".utf8), nil, "abc", nil),
        ] as [(Data, String?, String, String?)]
    )
    func textIsRecordedAsTextAndOtherBytesAsBase64(body: Data, type: String?, text: String, encoding: String?)
        async throws
    {
        transport.stub(.get, "/x", .data(body, contentType: type))
        let recorder = HARRecorder(maxBodyBytes: 5)
        #expect(try await read(client(recorder), HTTPRequest(.get, "/x"), .buffered(upTo: 100)) == body)
        let content = try #require(try entries(recorder).first?["response"]?["content"])
        #expect(content["text"]?.string == text)
        #expect(content["encoding"]?.string == encoding)
        #expect(content["_kept"]?.int == (body.count > 5 ? 5 : nil))
    }

    @Test func signInBodiesAreNotRecorded() async throws {
        transport.stub(.post, "/login", .text("s3cret"))
        let recorder = HARRecorder(maxBodyBytes: 100)
        var request = HTTPRequest(.post, "/login", body: .text("s3cret"))
        request.requiresAuth = false
        _ = try await read(client(recorder), request)
        #expect(try entries(recorder).count == 1)
        #expect(!String(decoding: recorder.data(), as: UTF8.self).contains("s3cret"))
    }

    @Test(arguments: [
        "multipart/form-data; boundary=b", "application/jsonl", "application/json-seq", "application/x-amz-json-1.1",
        "application/csp-report",
    ])
    func secretsInPartsAndLinesAreNotRecorded(type: String) async throws {
        transport.stub(.post, "/users", .status(204))
        let recorder = HARRecorder(maxBodyBytes: 1000)
        let text = #"{"password":"s3cret"}"#
        _ = try await read(client(recorder), HTTPRequest(.post, "/users", body: .text(text, contentType: type)))
        #expect(try entries(recorder).count == 1)
        let recorded = String(decoding: recorder.data(), as: UTF8.self)
        #expect(!recorded.contains("s3cret"))
        #expect(!recorded.contains(Data(text.utf8).base64EncodedString()))
    }

    @Test func theLatestEntriesStayAfterManyWereDropped() async throws {
        transport.stub(.get, "/*", .text("x"))
        let (recorder, count) = (HARRecorder(maxEntries: 40), 200)
        let client = client(recorder)
        for number in 0..<count { _ = try await read(client, HTTPRequest(.get, "/\(number)")) }
        #expect(recorder.count == 40)
        #expect(recorder.droppedCount == 160)
        let urls = try entries(recorder).compactMap { $0["request"]?["url"]?.string }
        let names = urls.compactMap { URL(string: $0)?.lastPathComponent }
        #expect(names == (160..<count).map { "\($0)" })
    }

    @Test func theOldestEntriesAreDropped() async throws {
        transport.stub(.get, "/*", .text("x"))
        let recorder = HARRecorder(maxEntries: 2)
        for path in ["/a", "/b", "/c"] { _ = try await read(client(recorder), HTTPRequest(.get, "\(raw: path)")) }
        #expect(try entries(recorder).compactMap { $0["request"]?["url"]?.string?.suffix(2) } == ["/b", "/c"])
        #expect(recorder.droppedCount == 1)
        #expect(try JSONValue(parsing: recorder.data())["log"]?["_dropped"] == 1)
        recorder.reset()
        #expect((recorder.count, recorder.droppedCount) == (0, 0))
    }

    @Test func theTotalSizeIsBounded() async throws {
        transport.stub(.get, "/*", .text(String(repeating: "x", count: 30_000)))
        let recorder = HARRecorder(maxBodyBytes: 100_000, maxBytes: 64 << 10)
        for path in ["/a", "/b", "/c"] { _ = try await read(client(recorder), HTTPRequest(.get, "\(raw: path)")) }
        #expect(recorder.count == 2)
        #expect(recorder.data().count < 66_000)
    }

    @Test func anEntryThatIsTooLargeAloneLeavesTheOthers() async throws {
        transport.stub(.get, "/*", .text("x"))
        transport.stub(.get, "/large", .text(String(repeating: "x", count: 70_000)))
        let recorder = HARRecorder(maxBodyBytes: 100_000, maxBytes: 64 << 10)
        for path in ["/a", "/large", "/b"] { _ = try await read(client(recorder), HTTPRequest(.get, "\(raw: path)")) }
        #expect(try entries(recorder).compactMap { $0["request"]?["url"]?.string?.suffix(2) } == ["/a", "/b"])
        #expect(recorder.droppedCount == 1)
    }

    @Test func theFileIsWrittenAtomically() async throws {
        transport.stub(.get, "/*", .text("x"))
        let (folder, recorder) = (try TemporaryFolder(), HARRecorder())
        _ = try await read(client(recorder), HTTPRequest(.get, "/a"))
        let file = try folder.write(Data("older".utf8), to: "calls.har")
        try await recorder.write(to: file)
        #expect(try Data(contentsOf: file) == recorder.data())
        #expect(try folder.names == ["calls.har"])
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path(percentEncoded: false))
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        await #expect(throws: NetKitError.self) { try await recorder.write(to: folder.file("none/calls.har")) }
    }

    @Test func limitsOutsideTheirRangesAreClampedAndReported() {
        let recorder = HARRecorder(maxBodyBytes: -1, maxEntries: 0, maxBytes: 1)
        #expect((recorder.maxBodyBytes, recorder.maxEntries, recorder.maxBytes) == (0, 1, 64 << 10))
        #expect(recorder.warnings(in: ClientInspection()).count == 3)
    }
}
