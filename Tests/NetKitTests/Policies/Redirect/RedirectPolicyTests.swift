import Foundation
import Testing

@testable import NetKit

/// Tests of the requests that a redirect turns into, as a table.
struct RedirectPolicyTests {
    /// One row: a status and a method, and the method that the next request has.
    struct Row: Sendable, CustomTestStringConvertible {
        let status: HTTPStatus
        let method: HTTPMethod
        let becomes: HTTPMethod
        let keepsBody: Bool

        var testDescription: String { "\(status.code) \(method) becomes \(becomes)" }

        init(_ status: HTTPStatus, _ method: HTTPMethod, _ becomes: HTTPMethod, keepsBody: Bool) {
            self.status = status
            self.method = method
            self.becomes = becomes
            self.keepsBody = keepsBody
        }
    }

    private static let rows: [Row] = [
        Row(301, .get, .get, keepsBody: true), Row(302, .get, .get, keepsBody: true),
        Row(301, .head, .head, keepsBody: true), Row(302, .head, .head, keepsBody: true),
        Row(301, .post, .get, keepsBody: false), Row(302, .post, .get, keepsBody: false),
        Row(301, .put, .put, keepsBody: true), Row(302, .put, .put, keepsBody: true),
        Row(301, .patch, .patch, keepsBody: true), Row(302, .patch, .patch, keepsBody: true),
        Row(301, .delete, .delete, keepsBody: true), Row(302, .delete, .delete, keepsBody: true),
        Row(301, .query, .query, keepsBody: true), Row(302, "PURGE", "PURGE", keepsBody: true),
        Row(303, .get, .get, keepsBody: true), Row(303, .head, .head, keepsBody: true),
        Row(303, .post, .get, keepsBody: false), Row(303, .put, .get, keepsBody: false),
        Row(303, .patch, .get, keepsBody: false), Row(303, .delete, .get, keepsBody: false),
        Row(303, .query, .get, keepsBody: false), Row(303, "PURGE", .get, keepsBody: false),
        Row(307, .get, .get, keepsBody: true), Row(308, .get, .get, keepsBody: true),
        Row(307, .head, .head, keepsBody: true), Row(308, .head, .head, keepsBody: true),
        Row(307, .post, .post, keepsBody: true), Row(308, .post, .post, keepsBody: true),
        Row(307, .put, .put, keepsBody: true), Row(308, .put, .put, keepsBody: true),
        Row(307, .patch, .patch, keepsBody: true), Row(308, .patch, .patch, keepsBody: true),
        Row(307, .delete, .delete, keepsBody: true), Row(308, .delete, .delete, keepsBody: true),
        Row(307, .query, .query, keepsBody: true), Row(308, "PURGE", "PURGE", keepsBody: true),
    ]

    /// The fields that describe a body, the conditions of a change, and two fields that stay.
    private static let headers: HTTPHeaders = [
        "Accept": "text/plain", "Content-Type": "text/plain", "content-length": "4", "Content-Encoding": "identity",
        "Content-Language": "en", "Content-Location": "/here", "Content-Range": "bytes 0-3/4", "Content-Digest": "d",
        "Repr-Digest": "d", "Digest": "d", "Content-MD5": "d", "If-Match": "\"1\"", "If-None-Match": "*",
        "If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT", "if-unmodified-since": "Sun, 06 Nov 1994 08:49:37 GMT",
        "X-A": "1",
    ]

    private let url: URL

    init() throws {
        url = try #require(URL(string: "https://api.example.com/from?a=1"))
    }

    @Test(arguments: rows, RedirectedBody.allCases)
    func methodBodyAndItsHeadersFollowTheStatus(row: Row, kind: RedirectedBody) throws {
        let request = HTTPRequest(row.method, url, headers: Self.headers, body: kind.body)
        let decision = RedirectPolicy.standard.decide(request, status: row.status, to: "/to")
        if row.keepsBody, kind == .oneShotStream {
            #expect(decision.isDelivered, "a body that cannot be sent again is not sent again")
            return
        }
        let next = try #require(decision.followed)
        #expect(next.url.absoluteString == "https://api.example.com/to")
        #expect(next.method == row.becomes)
        #expect(next.headers == (row.keepsBody ? Self.headers : ["Accept": "text/plain", "X-A": "1"]))
        guard row.keepsBody, let body = request.body else {
            #expect(next.body == nil)
            return
        }
        #expect(next.body?.bytes == body.bytes)
        #expect(next.body?.fileRange?.path == body.fileRange?.path)
        #expect(next.body?.fileRange?.offset == body.fileRange?.offset)
        #expect(next.body?.length == 4)
        #expect(next.body?.contentType == body.contentType)
    }

    @Test(arguments: [200, 204, 300, 304, 305, 306, 309, 399, 400, 503] as [HTTPStatus])
    func otherStatusesAreTheResponse(status: HTTPStatus) {
        let decision = RedirectPolicy.standard.decide(HTTPRequest(.get, url), status: status, to: "/to")
        #expect(decision.isDelivered)
    }

    @Test func withoutALocationTheResponseIsDelivered() {
        let decision = RedirectPolicy.standard.decide(
            HTTPRequest(.get, url),
            status: .found,
            headers: [:],
            visited: [],
            redaction: .standard
        )
        #expect(decision.isDelivered)
    }

    @Test func thePolicyNoneFollowsNoRedirect() {
        #expect(RedirectPolicy.none.decide(HTTPRequest(.get, url), to: "/to").isDelivered)
        #expect(RedirectPolicy.none.maxHops == 0)
    }

    @Test func theStandardIsTwentyHopsAndNoDowngrade() {
        #expect(RedirectPolicy.standard.maxHops == 20)
        #expect(!RedirectPolicy.standard.allowsDowngrade)
        #expect(RedirectPolicy() == .standard)
    }

    @Test func theAuthSettingOfARequestStays() throws {
        var request = HTTPRequest(.get, url)
        request.requiresAuth = false
        #expect(try #require(RedirectPolicy.standard.decide(request, to: "/to").followed).requiresAuth == false)
    }
}
