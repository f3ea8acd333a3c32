import Foundation
import NetKit
import NetKitTesting
import Testing

struct ClientVerbTests {
    private struct Item: Codable, Equatable, Sendable { var id: Int }

    private let transport = MockTransport()
    private let client: HTTPClient

    init() {
        transport.stub(nil, "/items/7", .data(Data(#"{"id":7}"#.utf8), contentType: "application/json"))
        client = HTTPClient(baseURL: exampleBase, transport: transport)
    }

    private var sent: RecordedRequest? { transport.requests.last }

    @Test func eachVerbDecodes() async throws {
        let (id, item) = (7, Item(id: 7))
        #expect(try await client.get("/items/\(id)", as: Item.self) == item)
        #expect(try await client.delete("/items/\(id)", as: Item.self) == item)
        #expect(try await client.post("/items/\(id)", json: item, as: Item.self) == item)
        #expect(try await client.put("/items/\(id)", json: item, as: Item.self) == item)
        #expect(try await client.patch("/items/\(id)", json: item, as: Item.self) == item)
        #expect(transport.requests.map(\.method) == [.get, .delete, .post, .put, .patch])
        #expect(transport.requests.allSatisfy { $0.headers["Accept"] == "application/json" })
    }

    @Test func theTypeOfTheVariableIsEnough() async throws {
        let got: Item = try await client.get("/items/7")
        let posted: Item = try await client.post("/items/7", body: .text("x"))
        #expect(got == posted)
    }

    @Test func withoutATypeTheResponseIsTheResult() async throws {
        let response = try await client.get("/items/7", query: ["a": 1], headers: ["X-A": "b"])
        #expect(response.status == .ok)
        #expect(sent?.url.query() == "a=1")
        #expect(sent?.headers["X-A"] == "b")
        try await client.post("/items/7")
        try await client.put("/items/7", json: Item(id: 1))
        try await client.patch("/items/7", json: Item(id: 1))
        try await client.delete("/items/7")
        #expect(try await client.head("/items/7").status == .ok)
    }

    @Test func aStatusThatIsNotASuccessIsAnError() async throws {
        transport.stub(.get, "/missing", .status(404))
        let error = await #expect(throws: NetKitError.self) { try await client.get("/missing") }
        #expect(error?.statusCode == 404)
    }

    @Test func aFormIsPosted() async throws {
        try await client.post("/items/7", form: ["name": "Ada L", "tags": ["a", "b"]])
        #expect(sent?.headers["Content-Type"] == "application/x-www-form-urlencoded")
        #expect(sent.map { String(decoding: $0.body, as: UTF8.self) } == "name=Ada+L&tags=a&tags=b")
        let item: Item = try await client.send(.post("/items/7", form: ["name": "Ada"]))
        #expect(item.id == 7)
    }

    @Test func aFormWithFilesIsPosted() async throws {
        let form = MultipartForm { $0.field("title", "Holiday") }
        let item = try await client.post("/items/7", multipart: form, as: Item.self)
        #expect(item.id == 7)
        #expect(sent?.headers["Content-Type"]?.hasPrefix("multipart/form-data; boundary=") == true)
        try await client.send(.post("/items/7", multipart: form))
    }

    @Test func twoBodiesAreRefusedBeforeAnythingIsSent() async throws {
        let form = MultipartForm { $0.field("a", "b") }
        let fields: QueryBuilder = ["a": 1]
        let calls: [(String, @Sendable () async throws -> Void)] = [
            ("body: and form:", { try await client.post("/items/7", body: .text("x"), form: fields) }),
            ("json: and multipart:", { try await client.post("/items/7", json: ["a": 1], multipart: form) }),
            ("body: and json:", { try await client.put("/items/7", body: .text("x"), json: ["a": 1]) }),
            (
                "body: and json:",
                { _ = try await client.patch("/items/7", body: .data(Data()), json: .null, as: Item.self) }
            ),
            ("form: and multipart:", { try await client.send(.post("/items/7", form: fields, multipart: form)) }),
            (
                "body: and json:",
                { _ = try await client.send(Endpoint<Item>.put("/items/7", body: .text(""), json: [])) }
            ),
            (
                "body: and json: and form: and multipart:",
                {
                    let all = Endpoint<HTTPResponse>.post(
                        "/items/7",
                        body: .text("x"),
                        json: 1,
                        form: fields,
                        multipart: form
                    )
                    _ = try await client.send(all)
                }
            ),
        ]
        for (names, call) in calls {
            let error = await #expect(throws: NetKitError.self) { try await call() }
            #expect(error?.code == .invalidRequest)
            #expect(error?.message.contains("has \(names).") == true)
            #expect(error?.outcome == .notSent)
        }
        #expect(transport.requests.isEmpty)
    }

    @Test func anUploadDecodes() async throws {
        let item = try await client.upload(.text("hello"), to: "/items/7", as: Item.self)
        #expect(item.id == 7)
        let again: Item = try await client.upload(MultipartForm { $0.field("a", "b") }, to: "/items/7")
        #expect(again.id == 7)
    }

    @Test func theLimitOfACallStandsBesideIt() async throws {
        transport.stub(.get, "/parked", .stalled)
        for call in 0..<3 {
            let error = await #expect(throws: NetKitError.self) {
                switch call {
                case 0: try await client.send(.get("/parked"), timeout: .milliseconds(1))
                case 1: _ = try await client.send(HTTPRequest(.get, "/parked"), timeout: .milliseconds(1))
                default:
                    _ = try await client.send(Endpoint<Item>.get("/parked"), nilFor: 404, timeout: .milliseconds(1))
                }
            }
            #expect(error?.timeoutPhase == .deadline)
        }
    }

    /// A call of a verb with a limit.
    private typealias LimitedCall = @Sendable (HTTPClient, Duration) async throws -> Void

    @Test func eachVerbTakesALimit() async throws {
        let limits = Locked<[Duration?]>([])
        let time = TestClock()
        let transport = MockTransport { _, context in
            let left = context.deadline.map { time.clock.now.duration(to: $0) }
            limits.withLock { $0.append(left) }
            return HTTPResponse(status: .ok, body: ResponseBody(Data(#"{"id":7}"#.utf8)))
        }
        var configuration = HTTPClient.Configuration()
        configuration.clock = time.clock
        let client = HTTPClient(baseURL: exampleBase, transport: transport, configuration: configuration)
        let (item, form) = (Item(id: 7), MultipartForm { $0.field("a", "b") })
        let calls: [LimitedCall] = [
            { try await $0.get("/", timeout: $1) }, { _ = try await $0.get("/", as: Item.self, timeout: $1) },
            { _ = try await $0.get("/", as: Item.self, nilFor: 404, timeout: $1) },
            { try await $0.delete("/", timeout: $1) }, { _ = try await $0.delete("/", as: Item.self, timeout: $1) },
            { try await $0.head("/", timeout: $1) },
            { try await $0.post("/", timeout: $1) }, { _ = try await $0.post("/", as: Item.self, timeout: $1) },
            { try await $0.post("/", json: item, timeout: $1) },
            { _ = try await $0.post("/", json: item, as: Item.self, timeout: $1) },
            { try await $0.post("/", json: ["a": 1, "b": nil], timeout: $1) },
            { _ = try await $0.post("/", json: ["a": 1, "b": nil], as: Item.self, timeout: $1) },
            { try await $0.post("/", form: ["a": 1], timeout: $1) },
            { _ = try await $0.post("/", form: ["a": 1], as: Item.self, timeout: $1) },
            { try await $0.post("/", multipart: form, timeout: $1) },
            { _ = try await $0.post("/", multipart: form, as: Item.self, timeout: $1) },
            { try await $0.put("/", timeout: $1) }, { _ = try await $0.put("/", as: Item.self, timeout: $1) },
            { try await $0.put("/", json: item, timeout: $1) },
            { _ = try await $0.put("/", json: item, as: Item.self, timeout: $1) },
            { try await $0.put("/", json: ["a": 1, "b": nil], timeout: $1) },
            { _ = try await $0.put("/", json: ["a": 1, "b": nil], as: Item.self, timeout: $1) },
            { try await $0.patch("/", timeout: $1) }, { _ = try await $0.patch("/", as: Item.self, timeout: $1) },
            { try await $0.patch("/", json: item, timeout: $1) },
            { _ = try await $0.patch("/", json: item, as: Item.self, timeout: $1) },
            { try await $0.patch("/", json: ["a": 1, "b": nil], timeout: $1) },
            { _ = try await $0.patch("/", json: ["a": 1, "b": nil], as: Item.self, timeout: $1) },
        ]
        for (number, call) in calls.enumerated() { try await call(client, .seconds(number + 1)) }
        #expect(limits.withLock { $0 } == calls.indices.map { .seconds($0 + 1) })
    }

    @Test func someStatusesAreNil() async throws {
        transport.stub(.get, "/missing", .status(404), .status(410), .status(403))
        #expect(try await client.get("/items/7", as: Item.self, nilFor: .notFound)?.id == 7)
        let missing: Item? = try await client.get("/missing", nilFor: .notFound)
        let gone = try await client.get("/missing", as: Item.self, nilFor: .notFound, .gone)
        #expect(missing == nil && gone == nil)
        let error = await #expect(throws: NetKitError.self) {
            _ = try await client.get("/missing", as: Item.self, nilFor: .notFound, .gone)
        }
        #expect(error?.statusCode == 403)
    }

    @Test func progressEndsWithEverything() async throws {
        let updates = Locked<[TransferProgress]>([])
        let text = String(repeating: "a", count: 5000)
        let _: Item = try await client.send(.post("/items/7", body: .text(text))) { progress in
            updates.withLock { $0.append(progress) }
        }
        let last = try #require(updates.withLock { $0.last })
        #expect(last.fractionCompleted == 1)
        #expect(last.completed == 5000)
        #expect(last.isFinished)
    }

    @Test func eachVerbWithABodyReportsItsProgress() async throws {
        let counts = Locked<[Int64]>([])
        let count: @Sendable (TransferProgress) -> Void = { progress in
            if progress.isFinished { counts.withLock { $0.append(progress.completed) } }
        }
        let (text, item) = (HTTPBody.text("hello"), Item(id: 7))
        let _: Item = try await client.post("/items/7", body: text, progress: count)
        let _: Item = try await client.put("/items/7", json: item, progress: count)
        let _: Item = try await client.patch("/items/7", body: text, progress: count)
        try await client.post("/items/7", form: ["a": "b"], progress: count)
        try await client.put("/items/7", body: text) { count($0) }
        #expect(counts.withLock { $0 } == [5, 8, 5, 3, 5])
        let form = MultipartForm { $0.field("title", "Holiday") }
        try await client.post("/items/7", multipart: form, progress: count)
        #expect(counts.withLock { $0.last } == transport.requests.last.map { Int64($0.body.count) })
    }

    @Test @MainActor func progressMayBeTakenOnTheMainActor() async throws {
        let meter = Meter()
        try await client.send(.get("/items/7")) { @MainActor in meter.fractions.append($0.fractionCompleted) }
        #expect(meter.fractions.last == 1)
    }

    @MainActor
    private final class Meter {
        var fractions: [Double?] = []
    }
}
