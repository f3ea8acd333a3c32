import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of a path as a server sees it: a value cannot leave its segment, by any transport.
@Suite(.needsTheMachine)
struct SafePathWireTests {
    private func target(_ wire: WireTransport, _ path: RequestPath, _ query: QueryBuilder = [:]) async throws -> String
    {
        let server = try MockServer()
        server.on(nil, "/**", .status(200))
        let client = try wire.client(server.url("/v1"))
        _ = try await client.send(HTTPRequest(.get, path, query: query))
        return try #require(server.requests.first).target
    }

    @Test(
        arguments: WireTransport.allCases,
        [
            ("a/../b?x#y%2f", "a%2F..%2Fb%3Fx%23y%252f"), ("../../admin", "..%2F..%2Fadmin"), ("a\\b", "a%5Cb"),
            ("%2e%2e%2f", "%252e%252e%252f"), ("a b+c", "a%20b%2Bc"), ("é😀", "%C3%A9%F0%9F%98%80"),
            ("a;b=c,d:e@f", "a%3Bb%3Dc%2Cd%3Ae%40f"), ("a\r\nHost: evil", "a%0D%0AHost%3A%20evil"), ("\0", "%00"),
            ("...", "..."), ("~a-b_c.d", "~a-b_c.d"),
        ]
    )
    func aValueStaysOneSegment(_ wire: WireTransport, _ row: (value: String, sent: String)) async throws {
        #expect(try await target(wire, "/users/\(row.value)/posts") == "/v1/users/\(row.sent)/posts")
        #expect(try await target(wire, "/users/x\(row.value)") == "/v1/users/x\(row.sent)")
    }

    @Test(arguments: WireTransport.allCases)
    func aRawValueIsTakenAsItIs(_ wire: WireTransport) async throws {
        #expect(try await target(wire, "/files/\(raw: "a/b%2Fc d")/x") == "/v1/files/a/b%2Fc%20d/x")
    }

    @Test(arguments: WireTransport.allCases)
    func queriesArriveAsTheyAreWritten(_ wire: WireTransport) async throws {
        let query: QueryBuilder = ["q": "a b+c&d=e%", "list": [1, 2], "none": nil, "url": "https://x/?y#z", "é": ""]
        let expected = "/v1/x?q=a%20b%2Bc%26d%3De%25&list=1&list=2&url=https%3A%2F%2Fx%2F%3Fy%23z&%C3%A9="
        #expect(try await target(wire, "/x", query) == expected)
    }
}
