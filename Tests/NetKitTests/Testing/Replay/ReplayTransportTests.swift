import Foundation
import NetKit
import NetKitTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ReplayTransportTests {
    /// A file as a browser writes it, with custom fields, pseudo-headers and no timings.
    private static let browser = """
        \u{FEFF}{"log": {"version": "1.2", "creator": {"name": "WebInspector", "version": "537.36"}, "pages": [], "entries": [
          {"_initiator": {"type": "script"}, "_resourceType": "fetch", "startedDateTime": "2024-01-01T00:00:00.000Z",
           "request": {"method": "GET", "url": "https://API.example.com:443/v1/users?b=2&a=1&token=real", "headers":
            [{"name": ":authority", "value": "api.example.com"}], "queryString": [], "cookies": []},
           "response": {"status": 200, "statusText": "", "httpVersion": "h2", "headers": [{"name": ":status", "value": "200"},
            {"name": "content-encoding", "value": "br"}, {"name": "content-length", "value": "9"},
            {"name": "set-cookie", "value": "a=1\\nb=2"}, {"name": "content-type", "value": "application/json"}],
            "content": {"size": 13, "mimeType": "application/json", "text": "{\\"name\\":\\"A\\"}"}, "_transferSize": 9},
           "cache": null},
          {"request": {"method": "POST", "url": "https://api.example.com/v1/orders",
            "postData": {"mimeType": "application/json", "text": "{\\"n\\": 1, \\"password\\": \\"***\\"}"}},
           "response": {"status": 201, "content": {"size": 1, "text": "1"}}},
          {"request": {"method": "POST", "url": "https://api.example.com/v1/orders",
            "postData": {"mimeType": "application/json", "text": "{\\"n\\": 2}"}},
           "response": {"status": 201, "content": {"size": 1, "text": "2"}}},
          {"request": {"method": "GET", "url": "https://api.example.com/v1/logo"},
           "response": {"status": 200, "content": {"size": 3, "text": "AP8\\nB", "encoding": "base64"}}},
          {"request": {"method": "GET", "url": "https://api.example.com/v1/large"},
           "response": {"status": 200, "content": {"size": 99}}},
          {"request": {"method": "GET", "url": "https://api.example.com/v1/gone"},
           "response": {"status": 0, "_error": "net::ERR_CONNECTION_RESET"}},
          {"request": {"method": "GET", "url": "https://api.example.com/v1/slow"},
           "response": {"status": 0, "_error": "timeout: too slow"}},
          {"request": {"method": "GET", "url": "https://api.example.com/v1/cut"},
           "response": {"status": 200, "content": {"size": 2, "text": "ab"}, "_error": "connectionLost: cut"}}
        ]}}
        """

    /// Responses without a body, about which a browser has recorded the size of the resource or its stored content.
    private static let withoutBodies = """
        {"log": {"entries": [
          {"request": {"method": "HEAD", "url": "https://api.example.com/v1/large"},
           "response": {"status": 200, "headers": [{"name": "Content-Length", "value": "5000"},
            {"name": "Content-Encoding", "value": "gzip"}], "content": {"size": 5000}}},
          {"request": {"method": "GET", "url": "https://api.example.com/v1/kept"},
           "response": {"status": 304, "headers": [], "content": {"size": 3, "text": "old"}}}
        ]}}
        """

    private func client(
        _ har: Data = Data(Self.browser.utf8),
        _ matching: (inout ReplayTransport.Matching) -> Void = { _ in }
    ) throws -> HTTPClient {
        var rules = ReplayTransport.Matching()
        matching(&rules)
        return HTTPClient(
            baseURL: exampleBase,
            transport: try ReplayTransport(har: har, matching: rules),
            interceptors: []
        )
    }

    private func text(_ client: HTTPClient, _ method: HTTPMethod, _ path: String, _ body: String? = nil) async -> String
    {
        do {
            let sent = body.map { HTTPBody.text($0, contentType: "application/json") }
            let response = try await client.send(HTTPRequest(method, RequestPath(raw: path), body: sent))
            return try await response.body.text(upTo: 1000)
        } catch {
            return "\(error)"
        }
    }

    @Test func respondsFromABrowsersFile() async throws {
        let client = try client()
        let response = try await client.send(HTTPRequest(.get, "/users?a=1&token=another&b=2"))
        #expect(response.headers.fields.map(\.name) == ["set-cookie", "set-cookie", "content-type"])
        #expect(response.headers.values(of: "Set-Cookie") == ["a=1", "b=2"])
        #expect(try await response.body.text(upTo: 100) == #"{"name":"A"}"#)
        let logo = try await client.send(HTTPRequest(.get, "/logo")).body.collect(upTo: 10)
        #expect(logo == Data([0x00, 0xFF, 0x01]))
    }

    @Test(arguments: [
        (HTTPMethod.get, "/users?a=1&b=2&token=x", "ok"),
        (.get, "/users?b=2&a=1&token=x", "ok"),
        (.get, "/users?a=1&b=3&token=x", "the query differs"),
        (.post, "/users?a=1&b=2&token=x", "the method differs"),
        (.get, "/user", "the path differs"),
        (.get, "https://other.example.com/v1/users", "the server differs"),
        (.get, "https://api.example.com:444/v1/users", "the server differs"),
        (.get, "http://api.example.com/v1/users", "the server differs"),
        (.get, "/large", "does not have the whole body of 99 bytes"),
        (.get, "/gone", "[connectionLost, outcome unknown]"),
        (.get, "/slow", "[timeout, outcome unknown]"),
        (.get, "/cut", "[connectionLost, status 200, answered]"),
    ])
    func respondsOrSaysWhyNot(method: HTTPMethod, path: String, outcome: String) async throws {
        let result = await text(try client(), method, path)
        switch outcome {
        case "ok": #expect(result == #"{"name":"A"}"#)
        case "[connectionLost, status 200, answered]":
            #expect(result.contains("Recorded: connectionLost: cut"))
        default: #expect(result.contains(outcome), "\(result)")
        }
    }

    @Test func aResponseWithoutABodyKeepsAllOfItsFields() async throws {
        let client = try client(Data(Self.withoutBodies.utf8))
        let large = try await client.send(HTTPRequest(.head, "/large"))
        #expect(large.headers["Content-Length"] == "5000")
        #expect(large.headers["Content-Encoding"] == "gzip")
        #expect(try await large.body.collect(upTo: 10).isEmpty)
        let kept = try await client.send(HTTPRequest(.get, "/kept"))
        #expect(kept.status == .notModified)
        #expect(try await kept.body.collect(upTo: 10).isEmpty)
    }

    @Test func namesTheNearestEntries() async throws {
        let result = await text(try client(), .put, "/orders?token=s3cret")
        #expect(
            result.contains(
                "no response to PUT https://api.example.com/v1/orders?token=***. The nearest: entry 2, POST"
            )
        )
        #expect(result.contains("(the method differs); entry 3"))
        #expect(result.contains("noStub"))
        #expect(!result.contains("s3cret"))
    }

    @Test func theNearestEntriesHaveTheMostSimilarPathsOrQueries() async throws {
        let result = await text(try client(), .get, "/lagre")
        #expect(result.contains("The nearest: entry 5, GET https://api.example.com/v1/large (the path differs);"))
    }

    @Test func eachEntryIsUsedOnceUnlessTheLastIsReused() async throws {
        let once = try client()
        #expect(await text(once, .post, "/orders") == "1")
        #expect(await text(once, .post, "/orders") == "2")
        #expect(await text(once, .post, "/orders").contains("already requested 2 times"))
        #expect(await text(once, .get, "/logo") != "")
        #expect(await text(once, .get, "/logo").contains("already requested once,"))
        let again = try client { $0.reusesLast = true }
        for wanted in ["1", "2", "2", "2"] { #expect(await text(again, .post, "/orders") == wanted) }
    }

    @Test func aQueryCanBeIgnored() async throws {
        let whole = try client { $0.ignoresQuery = true }
        #expect(await text(whole, .get, "/users?x=1") == #"{"name":"A"}"#)
        let parts = try client { $0.ignoredQueryItems = ["b", "nonce"] }
        #expect(await text(parts, .get, "/users?nonce=7&a=1&token=x&b=9") == #"{"name":"A"}"#)
        #expect(await text(parts, .get, "/users?nonce=7&a=2&token=x").contains("the query differs"))
    }

    @Test func theSecretsOfTheClientInAQueryAreMaskedOnBothSides() async throws {
        let entry = #"{"request":{"method":"GET","url":"https://a.example/x?ticket=1"}}"#
        let file = Data(#"{"log":{"entries":[\#(entry)]}}"#.utf8)
        var configuration = HTTPClient.Configuration()
        configuration.redaction.queryItems.insert("ticket")
        let transport = try ReplayTransport(har: file)
        let client = HTTPClient(transport: transport, interceptors: [], configuration: configuration)
        _ = try? await client.send(HTTPRequest(.get, "https://a.example/x?ticket=2"))
        #expect(transport.unused == [])
    }

    @Test func bodiesCanBeCompared() async throws {
        let client = try client { $0.comparesBody = true }
        #expect(await text(client, .post, "/orders", #"{"n":2}"#) == "2")
        #expect(await text(client, .post, "/orders", #"{"n":1,"password":"real"}"#) == "1")
        #expect(await text(client, .post, "/orders", #"{"n":3}"#).contains("the body differs"))
        #expect(await text(client, .post, "/orders").contains("the body differs"))
    }

    @Test(arguments: [
        (#"{"n":1,"password":"s3cret"}"#, "application/json"),
        (#"{"event":"{\"password\":\"s3cret\"}"}"#, "application/json"),
        ("{\"token\":\"s3cret\"}\n{\"n\":1}\n", "application/x-ndjson"),
        ("n=1&password=s3cret", "application/x-www-form-urlencoded"),
    ])
    func aBodyWithASecretMatchesItsRecording(body: String, type: String) async throws {
        let original = MockTransport()
        original.stub(.post, "/a", .status(204))
        let recorder = HARRecorder(maxBodyBytes: 1000)
        let live = HTTPClient(baseURL: exampleBase, transport: original, interceptors: [recorder])
        let request = HTTPRequest(.post, "/a", body: .text(body, contentType: type))
        _ = try await live.send(request)
        let replayed = try client(recorder.data()) { $0.comparesBody = true }
        #expect(try await replayed.send(request).status == 204)
    }

    @Test func secretsInBodiesAreMaskedOnBothSides() async throws {
        let har = """
            {"log": {"entries": [{"request": {"method": "POST", "url": "https://api.example.com/v1/a",
             "postData": {"text": "{\\"n\\": 1, \\"password\\": \\"recorded\\"}"}}, "response": {"status": 204}}]}}
            """
        let client = try client(Data(har.utf8)) { $0.comparesBody = true }
        #expect(await text(client, .post, "/a", #"{"n":2,"password":"real"}"#).contains("the body differs"))
        #expect(await text(client, .post, "/a", #"{"n":1,"password":"real"}"#) == "")
    }

    @Test func strictOrderCanBeRequired() async throws {
        let client = try client { $0.isStrict = true }
        #expect(await text(client, .post, "/orders").contains("Next is entry 1, GET"))
        #expect(await text(client, .get, "/users?a=1&b=2&token=x") == #"{"name":"A"}"#)
        #expect(await text(client, .post, "/orders") == "1")
        #expect(await text(client, .get, "/logo").contains("at this point. Next is entry 3, POST"))
    }

    @Test func listsUnusedEntries() async throws {
        let transport = try ReplayTransport(har: Data(Self.browser.utf8))
        _ = await text(HTTPClient(baseURL: exampleBase, transport: transport), .post, "/orders")
        #expect(transport.unused.count == 7)
        #expect(transport.unused.first == "GET https://API.example.com:443/v1/users?b=2&a=1&token=***")
    }

    @Test(arguments: [
        ("", "it is not JSON"), ("no", "it is not JSON"), (#"{"log":{"entries":["#, "it is not JSON"),
        ("[]", "it has no list log.entries"), (#"{"log":{}}"#, "it has no list log.entries"),
        (#"{"log":{"entries":[{}]}}"#, "entry 1 has no request with a method and URL"),
    ])
    func refusesFilesThatAreNotHAR(file: String, problem: String) {
        let error = #expect(throws: NetKitError.self) { try ReplayTransport(har: Data(file.utf8)) }
        #expect(error?.code == .decoding)
        #expect(error?.message.hasPrefix("The file is not a HAR file: \(problem)") == true)
    }

    @Test(arguments: [
        ("5", "response is not an object"),
        (#"{"status":"200"}"#, "response.status is not a status"),
        (#"{"status":-1}"#, "response.status is not a status"),
        (#"{"status":1000}"#, "response.status is not a status"),
        (#"{"status":200,"headers":{}}"#, "response.headers is not a list"),
        (#"{"status":200,"headers":[{"name":"A","value":1}]}"#, "response.headers[0] has no name and value"),
        (#"{"status":200,"content":[]}"#, "response.content is not an object"),
        (#"{"status":200,"content":{"text":7}}"#, "response.content.text is not a string"),
        (#"{"status":200,"content":{"text":"AP8B","encoding":64}}"#, "response.content.encoding is not a string"),
        (#"{"status":200,"content":{"text":"AP!8B","encoding":"base64"}}"#, "response.content.text is not Base64"),
        (#"{"status":0,"_error":false}"#, "response._error is not a string"),
    ])
    func refusesAResponseThatIsDamaged(response: String, problem: String) {
        let request = #"{"method":"GET","url":"https://api.example.com/"}"#
        let file = #"{"log":{"entries":[{"request":\#(request),"response":\#(response)}]}}"#
        let error = #expect(throws: NetKitError.self) { try ReplayTransport(har: Data(file.utf8)) }
        #expect(error?.code == .decoding)
        #expect(error?.message == "The file is not a HAR file: log.entries[0].\(problem).")
    }

    @Test func aRecordingIsReplayed() async throws {
        let original = MockTransport()
        original.stub(.get, "/a", .redirect(to: "/v1/b?code=s3cret"))
        original.stub(.get, "/b", .status(503), .data(Data([0xFF, 0x00]), contentType: "image/png"))
        original.stub(.post, "/c", .failure(URLError(.cannotFindHost)))
        original.stub(.get, "/d", .stream([Data("ab".utf8)], failingWith: URLError(.networkConnectionLost)))
        let recorder = HARRecorder(maxBodyBytes: 100)
        let live = try await outcomes(original, [recorder])
        let replay = try ReplayTransport(har: recorder.data())
        #expect(try await outcomes(replay, []) == live)
        #expect(live == ["200 2", "dns not sent", "connectionLost answered"])
        #expect(replay.unused == [])
    }

    @Test(
        arguments: [
            (.timeout, .notSent), (.timeout, .unknown), (.connectionLost, .notSent), (.connectionLost, .answered),
            (.tls, .unknown), (.dns, .notSent), (.unsupported, .notSent), (.file, .unknown),
            (.rateLimited, .notSent), (.noStub, .notSent), (.storeUnavailable, .unknown),
        ] as [(NetKitError.Code, NetKitError.Outcome)]
    )
    func aRecordedFailureKeepsItsCodeAndOutcome(code: NetKitError.Code, outcome: NetKitError.Outcome) async throws {
        let original = MockTransport()
        original.stub(.post, "/a", .failure(NetKitError(code, "It failed.", outcome: outcome)))
        let recorder = HARRecorder()
        let live = await failure(original, [recorder])
        let replayed = await failure(try ReplayTransport(har: recorder.data()), [])
        #expect(live?.code == code && live?.outcome == outcome)
        #expect(replayed?.code == code)
        #expect(replayed?.outcome == outcome)
    }

    @Test func aBodyThatIsNotRecordedIsMissing() async throws {
        let original = MockTransport()
        original.stub(.get, "/parts", .data(Data("--b--".utf8), contentType: "multipart/mixed; boundary=b"))
        let recorder = HARRecorder(maxBodyBytes: 100)
        let live = HTTPClient(baseURL: exampleBase, transport: original, interceptors: [recorder])
        #expect(await text(live, .get, "/parts") == "--b--")
        let replayed = await text(try client(recorder.data()), .get, "/parts")
        #expect(replayed.contains("does not have the whole body of 5 bytes"))
    }

    @Test func aTextThatIsMaskedAsAWholeIsMissing() async throws {
        let original = MockTransport()
        original.stub(.get, "/text", .data(Data([0, 0x61, 0, 0x62]), contentType: "text/plain; charset=utf-16"))
        original.stub(.get, "/stars", .text("***"))
        let recorder = HARRecorder(maxBodyBytes: 100)
        let live = HTTPClient(baseURL: exampleBase, transport: original, interceptors: [recorder])
        _ = await text(live, .get, "/text")
        #expect(await text(live, .get, "/stars") == "***")
        let replayed = try client(recorder.data())
        #expect(await text(replayed, .get, "/text").contains("whole body of 4 bytes. It was masked"))
        #expect(await text(replayed, .get, "/stars") == "***")
    }

    @Test func aSignInSaysWhyItsBodiesAreMissing() async throws {
        let original = MockTransport()
        original.stub(.post, "/login", .text("s3cret"))
        let recorder = HARRecorder(maxBodyBytes: 100)
        var login = HTTPRequest(.post, "/login", body: .text("password"))
        login.requiresAuth = false
        let request = login
        let live = HTTPClient(baseURL: exampleBase, transport: original, interceptors: [recorder])
        #expect(try await live.send(request).body.text(upTo: 100) == "s3cret")
        let replayed = try client(recorder.data())
        let error = await #expect(throws: NetKitError.self) { try await replayed.send(request) }
        #expect(
            error?.message == "Entry 1 of the recording does not have the whole body of 6 bytes. "
                + "The bodies of a request whose `requiresAuth` is false are not recorded, because they may be secret."
        )
    }

    @Test func aRequestBodyThatIsNotRecordedMatchesNone() async throws {
        let original = MockTransport()
        original.stub(.put, "/file", .status(204))
        let recorder = HARRecorder(maxBodyBytes: 100)
        let live = HTTPClient(baseURL: exampleBase, transport: original, interceptors: [recorder])
        let body = HTTPBody.replayableStream(length: 2) {
            AsyncStream<Data> { chunks in
                chunks.yield(Data("ab".utf8))
                chunks.finish()
            }
        }
        _ = try await live.send(HTTPRequest(.put, "/file", body: body))
        let replayed = try client(recorder.data()) { $0.comparesBody = true }
        let error = await #expect(throws: NetKitError.self) {
            try await replayed.send(HTTPRequest(.put, "/file", body: body))
        }
        #expect(error?.code == .noStub)
        #expect(error?.message.hasSuffix("(its body was not recorded completely).") == true)
    }

    @Test func aBodyThatWasGivenUpEndsAfterTheRecordedPart() async throws {
        let original = MockTransport()
        original.stub(.get, "/rows", .stream([Data("one".utf8), Data("two".utf8)]))
        let recorder = HARRecorder(maxBodyBytes: 100)
        let live = HTTPClient(baseURL: exampleBase, transport: original, interceptors: [recorder])
        #expect(try await start(of: "/rows", live) == Data("one".utf8))
        #expect(try await start(of: "/rows", client(recorder.data())) == Data("one".utf8))
        #expect(await text(try client(recorder.data()), .get, "/rows").contains("has only the 3 bytes of the body"))
    }

    /// Returns the first chunk of a body, and gives up the rest.
    private func start(of path: RequestPath, _ client: HTTPClient) async throws -> Data? {
        for try await chunk in try await client.send(HTTPRequest(.get, path)).body { return chunk }
        return nil
    }

    private func failure(_ transport: some Transport, _ interceptors: InterceptorList) async -> NetKitError? {
        let client = HTTPClient(baseURL: exampleBase, transport: transport, interceptors: interceptors)
        return await #expect(throws: NetKitError.self) { try await client.send(HTTPRequest(.post, "/a")) }
    }

    private func outcomes(_ transport: some Transport, _ others: [any Interceptor]) async throws -> [String] {
        let retry = RetryInterceptor(RetryPolicy(backoffStrategy: .fixed(interval: .zero)))
        let client = HTTPClient(
            baseURL: exampleBase,
            transport: transport,
            interceptors: InterceptorList([retry] + others)
        )
        var outcomes: [String] = []
        for request in [HTTPRequest(.get, "/a"), HTTPRequest(.post, "/c"), HTTPRequest(.get, "/d")] {
            do {
                let response = try await client.send(request)
                outcomes.append("\(response.status.code) \(try await response.body.collect(upTo: 10).count)")
            } catch let error as NetKitError {
                outcomes.append("\(error.code) \(error.outcome)")
            }
        }
        return outcomes
    }
}
