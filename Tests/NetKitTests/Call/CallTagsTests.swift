import NetKit
import Testing

struct CallTagsTests {
    private struct Feature: CallTag, Equatable { var name: String }
    private struct Tenant: CallTag, Equatable { var number: Int }

    @Test func areFoundByTheirType() {
        var tags = CallTags()
        #expect(tags[Feature.self] == nil)
        tags[Feature.self] = Feature(name: "checkout")
        tags[Tenant.self] = Tenant(number: 7)
        #expect(tags[Feature.self] == Feature(name: "checkout"))
        #expect(tags[Tenant.self] == Tenant(number: 7))
    }

    @Test func areReplacedAndRemoved() {
        var tags = CallTags()
        tags[Feature.self] = Feature(name: "old")
        tags[Feature.self]?.name = "new"
        let copy = tags
        tags[Feature.self] = nil
        #expect(tags[Feature.self] == nil)
        #expect(copy[Feature.self] == Feature(name: "new"))
    }

    @Test func travelToTheInterceptors() async throws {
        let transport = MockTransport { _, context in
            HTTPResponse(status: 200, headers: ["X-Feature": context.tags[Feature.self]?.name ?? "none"])
        }
        let client = HTTPClient(transport: transport)
        var options = CallOptions()
        options.tags[Feature.self] = Feature(name: "checkout")
        let response = try await client.send(HTTPRequest(.get, "https://api.example.com/"), options: options)
        #expect(response.headers["X-Feature"] == "checkout")
    }
}
