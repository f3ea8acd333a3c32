import Foundation
import NetKit
import NetKitTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct EndpointTests {
    private struct Note: Codable, Equatable, Sendable {
        var noteText: String
        var writtenAt: Date
    }

    private let time = TestClock()
    private let transport = MockTransport()

    private func client(json: JSONCoder = .standard, interceptors: InterceptorList = []) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.clock = time.clock
        configuration.random = .seeded(0)
        configuration.json = json
        return HTTPClient(
            baseURL: URL(string: "https://api.example.com/v1"),
            transport: transport,
            interceptors: interceptors,
            configuration: configuration
        )
    }

    @Test func acceptAndContentTypeCanBeOverridden() async throws {
        transport.stub(.post, "/a", .json(["ok": true]))
        let headers: HTTPHeaders = ["accept": "application/vnd.api+json", "content-type": "application/vnd.api+json"]
        let response: [String: Bool] = try await client().send(.post("/a", headers: headers, json: ["a": 1]))
        #expect(response == ["ok": true])
        #expect(transport.requests.map(\.headers) == [headers])
    }

    @Test func interpolatedValuesStaySegments() async throws {
        transport.stub(.get, "/users/*", .status(204))
        let id = "a/../b?c=d"
        let endpoint: Endpoint<Void> = .get("/users/\(id)")
        try await client().send(endpoint)
        #expect(transport.requests.map(\.url.absoluteString) == ["https://api.example.com/v1/users/a%2F..%2Fb%3Fc%3Dd"])
    }

    @Test func isTheRequestItStandsFor() throws {
        var endpoint: Endpoint<Note> = .put("/a", query: [URLQueryItem(name: "q", value: "1")], json: ["a": 1])
        #expect(endpoint.request.method == .put)
        #expect(endpoint.request.url.absoluteString == "/a?q=1")
        #expect(endpoint.request.headers == ["Accept": "application/json"])
        #expect(endpoint.request.body?.contentType == "application/json")
        #expect(endpoint.request.requiresAuth)
        endpoint.method = .post
        endpoint.headers["X-A"] = "1"
        endpoint.requiresAuth = false
        endpoint.body = .text("b")
        #expect(endpoint.request.method == .post)
        #expect(endpoint.request.headers == ["X-A": "1", "Accept": "application/json"])
        #expect(endpoint.request.body?.bytes == Data("b".utf8))
        #expect(!endpoint.request.requiresAuth)
        endpoint.body = nil
        #expect(endpoint.body == nil)
        #expect(endpoint.request.body == nil)
    }

    @Test func requiresAuthReachesTheInterceptors() async throws {
        transport.stub(.post, "/**", .status(204))
        let seen = Locked<[Bool]>([])
        let peek = StagedInterceptor(.auth) { request, context, next in
            seen.withLock { $0.append(request.requiresAuth) }
            return try await next(request, context)
        }
        let client = client(interceptors: [peek])
        var login: Endpoint<Void> = .post("/login")
        login.requiresAuth = false
        try await client.send(login)
        let order: Endpoint<Void> = .post("/orders")
        try await client.send(order)
        #expect(seen.withLock { $0 } == [false, true])
    }

    @Test func itsTimeoutIsTheCallsDeadline() async throws {
        transport.stub(.get, "/a", .stalled)
        var endpoint: Endpoint<Void> = .get("/a")
        endpoint.timeout = .seconds(2)
        let (client, given) = (client(), endpoint)
        let task = Task { try await client.send(given) }
        await transport.waitForRequests(1)
        await time.waitForAlarms(1)
        #expect(time.timeToNext == .seconds(2))
        time.advance(by: .seconds(2))
        let error = await #expect(throws: NetKitError.self) { try await task.value }
        #expect(error?.code == .timeout)
        #expect(error?.timeoutPhase == .deadline)
    }

    @Test func theOptionsComeBeforeTheEndpoint() async throws {
        let seen = Locked<[String]>([])
        let transport = MockTransport { _, context in
            let key = context.call.idempotencyKey ?? "none"
            let isHigh = context.call.priority == .high
            seen.withLock { $0.append("\(context.timeLeft ?? .zero) \(key) \(isHigh) \(context.delivery)") }
            return HTTPResponse(status: 200)
        }
        var configuration = HTTPClient.Configuration()
        configuration.clock = time.clock
        configuration.timeouts = .none
        configuration.maxBufferedBytes = 1000
        let client = HTTPClient(transport: transport, configuration: configuration)
        var endpoint: Endpoint<Void> = .get("https://api.example.com/a")
        endpoint.timeout = .seconds(9)
        endpoint.priority = .high
        endpoint.idempotencyKey = .value("endpoint")
        try await client.send(endpoint)
        let options = CallOptions(
            priority: .low,
            timeout: .seconds(4),
            delivery: .buffered(upTo: 10),
            idempotencyKey: .value("options")
        )
        try await client.send(endpoint, options: options)
        #expect(
            seen.withLock { $0 } == [
                "9.0 seconds endpoint true buffered up to 1000 bytes",
                "4.0 seconds options false buffered up to 10 bytes",
            ]
        )
    }

    @Test(arguments: [(nil, TaskPriority.high), (.medium, .medium), (.low, .low)] as [(TaskPriority?, TaskPriority)])
    func aPriorityThatTheCallSetsCounts(own: TaskPriority?, expected: TaskPriority) async throws {
        let seen = Locked<TaskPriority?>(nil)
        let transport = MockTransport { _, context in
            seen.withLock { $0 = context.call.priority }
            return HTTPResponse(status: 200)
        }
        var endpoint: Endpoint<Void> = .get("https://api.example.com/a")
        endpoint.priority = .high
        try await HTTPClient(transport: transport).send(endpoint, options: CallOptions(priority: own))
        #expect(seen.withLock { $0 } == expected)
    }

    @Test func anIdempotencyKeyIsMintedAndSent() async throws {
        transport.stub(.post, "/orders", .status(201))
        var endpoint: Endpoint<Void> = .post("/orders", json: ["item": "tea"])
        endpoint.idempotencyKey = .automatic
        try await client().send(endpoint)
        let keys = transport.requests.map { $0.headers["Idempotency-Key"] }
        #expect(keys == ["e220a839-7b1d-4daf-ae78-9e6aa1b965f4"])
    }

    @Test func datesAreISO8601InBothDirections() async throws {
        let note = Note(noteText: "hello", writtenAt: Date(timeIntervalSince1970: 1_700_000_000))
        transport.stub(.put, "/note", .json(note))
        let response: Note = try await client().send(.put("/note", json: note))
        #expect(response == note)
        #expect(transport.requests.map(\.bodyText).first?.contains(#""writtenAt":"2023-11-14T22:13:20Z""#) == true)
    }

    @Test func theClientsCoderWritesAndReads() async throws {
        let coder = JSONCoder {
            let encoder = JSONEncoder()
            encoder.keyEncodingStrategy = .convertToSnakeCase
            encoder.dateEncodingStrategy = .secondsSince1970
            encoder.outputFormatting = .sortedKeys
            return encoder
        } decoder: {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            decoder.dateDecodingStrategy = .secondsSince1970
            return decoder
        }
        let text = #"{"note_text":"hello","written_at":1700000000}"#
        transport.stub(.put, "/note", .data(Data(text.utf8)))
        let note = Note(noteText: "hello", writtenAt: Date(timeIntervalSince1970: 1_700_000_000))
        let response: Note = try await client(json: coder).send(.put("/note", json: note))
        #expect(response == note)
        #expect(transport.requests.map(\.bodyText) == [text])
    }

    @Test func aCustomBodyKeepsItsCoder() async throws {
        let coder = JSONCoder {
            let encoder = JSONEncoder()
            encoder.keyEncodingStrategy = .convertToSnakeCase
            return encoder
        } decoder: {
            JSONDecoder()
        }
        transport.stub(.put, "/note", .status(204))
        let nothing: Void = try await client().send(.put("/note", body: .json(["noteText": 1], coder: .standard)))
        #expect(nothing == ())
        try await client(json: coder).send(Endpoint<Void>.put("/note", body: .json(["noteText": 1])))
        #expect(transport.requests.map(\.bodyText) == [#"{"noteText":1}"#, #"{"noteText":1}"#])
    }

    @Test func aStreamedDeliveryIsBoundAllTheSame() async throws {
        transport.stub(.get, "/a", .stream([Data("1234".utf8), Data("5678".utf8)]))
        let options = CallOptions(delivery: .streamed)
        let text: String = try await client().send(.get("/a"), options: options)
        #expect(text == "12345678")
        let response: HTTPResponse = try await client().send(.get("/a"), options: options)
        #expect(response.body.buffered == nil)
        #expect(try await response.body.text(upTo: 8) == "12345678")
    }
}
