import Foundation
import NetKit
import NetKitPostgres
import NetKitTesting
import Testing

// The names that the examples of doc comments use without declaring them. Nothing of this runs.

/// Stands for code that the reader of an example writes.
func standIn<Value>() -> Value { fatalError("The examples are only compiled.") }
func standIn() {}
func mayFail() throws {}
func show(_ values: Any?...) {}
func open(_ file: URL, _ mediaType: String?) {}

// MARK: A service and what it stores

struct User: Codable, Sendable, Equatable, Identifiable {
    var id: Int
    var name: String
}

struct NewUser: Codable, Sendable {
    var name: String
}

struct Item: Codable, Sendable {
    var name: String
}

struct Redirect: Codable, Sendable {
    var location: String
}

struct FieldError: Codable, Sendable {
    var field: String
}

struct Feed: Codable, Sendable {
    var items: [Item]
    var nextCursor: String?
    var next: String?
}

struct Filter: Codable, Sendable {
    var name: String
}

struct Token: Codable, Sendable {
    var token: String
}

struct Page: Codable, Sendable {
    @LossyArray var items: [Item]
}

typealias Photo = Item
typealias Receipt = Item
typealias Row = Item

extension Endpoint where Response == User {
    // Generic, because an example declares the function itself.
    static func user(_ id: some StringProtocol) -> Self { .get("/users/\(String(id))") }
}

extension Endpoint where Response == Feed {
    static func feed() -> Self { .get("/feed") }
    static func search(_ text: String) -> Self { .get("/search", query: ["text": text]) }
}

let base = URL(string: "https://api.example.com/v1")
let partner = URL(string: "https://partner.example.com")
let folder = URL(fileURLWithPath: "/tmp")
let file = folder.appending(path: "file")
let (fileURL, url, photo) = (file, file, file)
let (id, name, key, password, tag) = ("42", "Ada", "key", "password", "tag")
let (number, date, ids) = (7, Date(), ["1", "2"])
let (bytes, note, first, second) = (Data(), Data(), Data(), Data())
let (user, order) = (User(id: 42, name: "Ada"), User(id: 7, name: "order"))

// MARK: A client and its parts

let transport = MockTransport()
let client = HTTPClient(baseURL: base, transport: transport)
nonisolated(unsafe) var request = HTTPRequest(.get, "/users/42")
nonisolated(unsafe) var options = CallOptions()
nonisolated(unsafe) var configuration = HTTPClient.Configuration()
nonisolated(unsafe) var endpoint = Endpoint<User>.user("42")
let error = NetKitError(.server, "The server is down.")
let response = HTTPResponse(status: .ok)
let incoming = HTTPRequest(.get, "/")
let page: Page = standIn()
let form = MultipartForm { $0.field("title", "Holiday") }
let tokens = TokenStore(initial: "token")
let monitor = ManualNetworkMonitor()
let metrics = MetricsCollector()
let users = RemoteRepository<User>(client: client, cache: CacheService(), path: "/users")
let clock = NetKitClock.system
let queue: OfflineQueue = standIn()
let database: Postgres = standIn()
@MainActor var fraction: Double?
let time = TestClock()
let simulation = Simulation(seed: 1)
let seal = RecordSeal(seal: { $0 }, open: { $0 })
let cases: [StatusCase<Lookup>] = []

enum Lookup: Sendable {
    case found(User), moved(Redirect), missing
}

struct Login: Sendable {
    func renew(_ current: AccessToken?) async throws -> AccessToken { standIn() }
}

struct Session: Sendable {
    var token: String? {
        get async { standIn() }
    }
}

struct Logger: Sendable {
    func log(_ text: String) {}
}

struct Box: Sendable {
    func encrypt(_ data: Data) throws -> Data { data }
    func decrypt(_ data: Data) throws -> Data { data }
}

let (login, session, logger, box) = (Login(), Session(), Logger(), Box())
func log(_ text: String) {}
func refresh(_ current: String?) async throws -> String { standIn() }
func refresh(_ current: AccessToken?) async throws -> AccessToken { standIn() }
func merge(_ base: Data?, _ local: Data?, _ server: Data?) throws -> Data { standIn() }

// MARK: Code of others

struct MyInterceptor: Interceptor {
    func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        try await next(request, context)
    }
}

struct Driver: Sendable {
    func query(_ sql: String, _ parameters: [String]) async throws {}
}

struct Table: Sendable {
    func beat() async throws -> ReplicaLease.Beat { standIn() }
}

let (driver, table) = (Driver(), Table())
func notify(_ notice: OfflineNotice) {}
func MyTransport() -> MockTransport { standIn() }
func MyStore() -> MemoryCacheStore { standIn() }
func MyStore(table: String) async throws -> any OfflineStore { standIn() }
func MyRate(_ name: String) async throws -> any SharedRate { standIn() }
func MyVault(_ name: String) async throws -> any TokenVault { standIn() }
