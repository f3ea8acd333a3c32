import Foundation
import NetKitTesting
import Testing

@testable import NetKit

struct RedactedDescriptionTests {
    /// Returns what a value shows when it is printed, alone and inside another value, and when it is dumped.
    private func shown(_ value: Any) -> String {
        var dumped = ""
        dump(value, to: &dumped)
        return "\(value) \(String(reflecting: value)) \([value]) \(dumped)"
    }

    @Test(arguments: [
        (HTTPHeaders.Field("Authorization", "Bearer s3cret"), "Authorization: ***"),
        (HTTPHeaders.Field("Location", "/next?code=s3cret&page=2"), "Location: /next?code=***&page=2"),
        (HTTPHeaders.Field("Accept", "text/plain"), "Accept: text/plain"),
        (HTTPHeaders.Field("X-A", "1\r\nX-B: 2"), "X-A: 1\u{FFFD}\u{FFFD}X-B: 2"),
    ])
    func aFieldShowsNoSecret(_ field: HTTPHeaders.Field, _ text: String) {
        #expect(field.description == text)
        var dumped = ""
        dump(HTTPHeaders([field]), to: &dumped)
        #expect(!(shown(field) + dumped).contains("s3cret"))
    }

    @Test func aRedirectShowsNoSecret() throws {
        let from = try #require(URL(string: "https://me:s3cret@a.example/login"))
        let to = try #require(URL(string: "https://b.example/callback?code=s3cret&state=1"))
        let hop = RedirectHop(status: 302, from: from, to: to)
        #expect(
            hop.description == "302 from https://***@a.example/login to https://b.example/callback?code=***&state=1"
        )
        #expect(!shown(hop).contains("s3cret"))
    }

    @Test func anEndpointShowsNoSecretOfItsQuery() {
        let query: QueryBuilder = ["access_token": "s3cret", "size": 2]
        let endpoint = Endpoint<String>.get("/users?api_key=s3cret&page=1", query: query)
        let text = shown(endpoint)
        #expect(!text.contains("s3cret"))
        #expect(text.contains("/users?api_key=***&page=1"))
        #expect(text.contains("QueryBuilder(access_token=***&size=2)"))
    }

    @Test func aDumpedRequestShowsNoSecretOfItsPath() {
        let text = shown(HTTPRequest(.get, "/users?api_key=s3cret&page=1"))
        #expect(!text.contains("s3cret"))
        #expect(text.contains("/users?api_key=***&page=1"))
    }

    /// Each interceptor gets a request whose path was joined to the base URL.
    @Test func aDumpedMessageShowsNoSecretOfItsURL() throws {
        let url = try #require(URL(string: "https://me:s3cret@a.example/users?api_key=s3cret&page=1"))
        let request = HTTPRequest(.get, url, headers: ["Accept": "text/plain"])
        let text = shown(request)
        #expect(!text.contains("s3cret"))
        #expect(text.contains("a.example/users?api_key=***&page=1"))
        #expect(text.contains("Accept: text/plain"))
        #expect(!shown(HTTPResponse(status: 200, url: url)).contains("s3cret"))
        #expect(!shown(QueuedRequest(HTTPRequest(.post, "/users?api_key=s3cret"))).contains("s3cret"))
    }

    @Test func aDumpedClientAndItsEventsShowNoSecretOfAURL() async throws {
        let url = try #require(URL(string: "https://me:s3cret@a.example/users?api_key=s3cret&page=1"))
        let mock = MockTransport()
        let client = HTTPClient(baseURL: url, transport: mock, interceptors: [])
        var events = client.events.makeAsyncIterator()
        let error = await #expect(throws: NetKitError.self) { try await client.send(HTTPRequest(.get, "")) }
        let event = try #require(await events.next())
        let inspection = ClientInspection(baseURL: url)
        let exporter = OTLPSpanExporter(serviceName: "test", endpoint: url, transport: mock)
        for value in [client, event, try #require(error), mock.requests, inspection, exporter] as [Any] {
            let text = shown(value)
            #expect(!text.contains("s3cret"))
            #expect(text.contains("a.example/users?api_key=***&page=1"))
        }
        let failed = NetKitError(.server, "Refused.", response: .init(status: 500, headers: [:], body: Data()))
        #expect(!shown(failed.attaching(responseURL: url)).contains("s3cret"))
        let call = Call(
            HTTPRequest(.get, url),
            options: CallOptions(),
            delivery: .streamed,
            timeouts: .standard,
            settings: Call.Settings(baseURL: url),
            start: NetKitClock.system.now
        )
        let attempt = Attempt(number: 1, start: call.start, deadline: nil, url: url)
        for value in [RequestContext(call: call), call, attempt, client.payloadSettings] as [Any] {
            #expect(!shown(value).contains("s3cret"))
        }
    }

    @Test func aDumpedRequestOfAServerShowsNoSecretOfItsTarget() {
        let request = ServerRequest(.get, target: "/users?api_key=s3cret&page=1", headers: [:], body: Data())
        #expect(!shown(request).contains("s3cret"))
        #expect(shown(request).contains("/users?api_key=***&page=1"))
    }

    @Test func aPathInAPathKeepsItsQuery() {
        let path: RequestPath = "/users?api_key=s3cret"
        #expect(path.description == "/users?api_key=s3cret")
        #expect(("\(path)&page=1" as RequestPath).encoded == "/users?api_key=s3cret&page=1")
    }
}
