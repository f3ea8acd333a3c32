import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// The examples of the page on concurrency, compiled and run.
@Suite(.needsTheMachine)
struct ConcurrencyGuideTests {
    private let transport = MockTransport()

    private var client: HTTPClient { HTTPClient(baseURL: exampleBase, transport: transport, interceptors: []) }

    @Test func theWrapperUnpacksTheValue() async throws {
        transport.stub(.get, "/people/1", .json(["data": Person(id: 1, name: "Ada")]))
        let person: Person = try await client.data(of: "/people/1")
        #expect(person.name == "Ada")
    }

    @Test @MainActor func theViewModelLoadsAndReportsProgress() async throws {
        transport.stub(.get, "/people/42", .json(Person(id: 42, name: "Ada")))
        transport.stub(.post, "/photos", .status(204))
        let model = PersonModel(people: PeopleService(client: client), client: client)
        try await model.load()
        try await model.upload(.text("photo"))
        #expect(model.person?.id == 42)
        #expect(model.fraction == 1)
    }

    @Test func thePageShowsThisCode() throws {
        #expect(try GuidePage("Concurrency").shows(#filePath))
    }
}

// GUIDE: begin
struct Envelope<Value: Decodable & Sendable>: Decodable, Sendable {
    let data: Value
}

extension RequestSending {
    func data<Value: Decodable & Sendable>(of path: RequestPath) async throws -> Value {
        try await get(path, as: Envelope<Value>.self).data
    }
}
// GUIDE: end

// GUIDE: begin
protocol PeopleLoading: Sendable {
    func person(_ id: Int) async throws -> Person
}

struct PeopleService: PeopleLoading {
    let client: any RequestSending

    func person(_ id: Int) async throws -> Person {
        try await client.get("/people/\(id)")
    }
}
// GUIDE: end

// GUIDE: begin
@MainActor
final class PersonModel {
    private(set) var person: Person?
    private(set) var fraction: Double?
    private let people: any PeopleLoading
    private let client: any RequestSending

    init(people: any PeopleLoading, client: any RequestSending) {
        self.people = people
        self.client = client
    }

    func load() async throws {
        person = try await people.person(42)
    }

    func upload(_ photo: HTTPBody) async throws {
        try await client.upload(photo, to: "/photos") { @MainActor [self] progress in
            fraction = progress.fractionCompleted
        }
    }
}
// GUIDE: end
