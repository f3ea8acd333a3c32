import Foundation
import Testing

@testable import NetKit

/// Tests of the decision about a response: RFC 9111, sections 3, 4.3.4, 4.3.5 and 4.4.
struct CacheStoringTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let section: String
        var status = HTTPStatus.ok
        var method = HTTPMethod.get
        var asking: HTTPHeaders = [:]
        let headers: HTTPHeaders
        var policy = CachePolicy.standard
        var hasQuery = false
        let isStored: Bool

        var testDescription: String { "\(section): \(status.code) \(headers.fields.map(\.value))" }
    }

    private static let fresh: HTTPHeaders = ["Cache-Control": "max-age=60"]

    @Test(
        arguments: [
            Row(section: "3 explicit", headers: fresh, isStored: true),
            Row(section: "3 Expires", headers: ["Expires": httpDate(60)], isStored: true),
            Row(section: "3 no lifetime", headers: [:], isStored: false),
            Row(section: "3 a validator", headers: ["ETag": "\"1\""], isStored: true),
            Row(section: "3 private", headers: ["Cache-Control": "private, max-age=60"], isStored: true),
            Row(section: "3 error", status: 503, headers: fresh, isStored: true),
            Row(section: "3 unknown status", status: 599, headers: fresh, isStored: true),
            Row(section: "3 error without a lifetime", status: 503, headers: ["ETag": "\"1\""], isStored: false),
            Row(section: "3 error by guess", status: 404, headers: ["Last-Modified": httpDate(-1000)], isStored: true),
            Row(section: "3 304", status: 304, headers: fresh, isStored: false),
            Row(section: "3.3 206", status: 206, headers: fresh, isStored: false),
            Row(section: "RFC 9110 15.5.13", status: 412, headers: fresh, isStored: false),
            Row(section: "RFC 9110 15.5.17", status: 416, headers: fresh, isStored: false),
            Row(section: "RFC 6585 3", status: 428, headers: fresh, isStored: false),
            Row(section: "RFC 6585 4", status: 429, headers: fresh, isStored: false),
            Row(section: "RFC 6585 5", status: 431, headers: fresh, isStored: false),
            Row(section: "RFC 6585 6", status: 511, headers: fresh, isStored: false),
            Row(section: "3 HEAD", method: .head, headers: fresh, isStored: false),
            Row(section: "3 PUT", method: .put, headers: fresh, isStored: false),
            Row(section: "4.1 star", headers: ["Cache-Control": "max-age=60", "Vary": "a, *"], isStored: false),
            Row(
                section: "4.2.2 with a query",
                headers: ["Last-Modified": httpDate(-1000), "ETag": "\"1\""],
                hasQuery: true,
                isStored: true
            ),
            Row(section: "5.2.1.5", asking: ["Cache-Control": "no-store"], headers: fresh, isStored: false),
            Row(section: "5.2.2.5", headers: ["Cache-Control": "no-store, max-age=60"], isStored: false),
            Row(section: "5.2.2.5 case", headers: ["Cache-Control": "nO-StOrE, max-age=60"], isStored: false),
            Row(
                section: "5.2.2.3 known",
                headers: ["Cache-Control": "no-store, must-understand, max-age=60"],
                isStored: true
            ),
            Row(
                section: "5.2.2.3 unknown",
                status: 599,
                headers: ["Cache-Control": "no-store, must-understand, max-age=60"],
                isStored: false
            ),
            Row(section: "3.5 Authorization", asking: ["Authorization": "x"], headers: fresh, isStored: true),
            Row(section: "expired without validator", headers: ["Cache-Control": "max-age=0"], isStored: false),
            Row(
                section: "expired with validator",
                headers: ["Cache-Control": "max-age=0", "ETag": "\"1\""],
                isStored: true
            ),
            Row(section: "noCache", headers: fresh, policy: .noCache, isStored: false),
            Row(section: "cacheFirst", headers: [:], policy: .cacheFirst, isStored: true),
            Row(section: "cacheFirst error", status: 500, headers: [:], policy: .cacheFirst, isStored: false),
            Row(
                section: "cacheFirst no-store",
                headers: ["Cache-Control": "no-store"],
                policy: .cacheFirst,
                isStored: false
            ),
            Row(section: "networkFirst", headers: [:], policy: .networkFirst, isStored: true),
            Row(section: "reload", headers: [:], policy: .reload, isStored: true),
            Row(section: "a TTL", headers: [:], policy: .standard.lasting(.seconds(5)), isStored: true),
            Row(
                section: "a TTL and an error",
                status: 404,
                headers: [:],
                policy: .standard.lasting(.seconds(5)),
                isStored: false
            ),
        ] as [Row]
    )
    func storesOnlyWhatTheRulesAllow(row: Row) {
        let exchange = CacheEngine.Exchange.test(
            row.headers,
            status: row.status,
            method: row.method,
            asking: row.asking,
            policy: row.policy,
            hasQuery: row.hasQuery
        )
        #expect((CacheEngine.judge(exchange).response != nil) == row.isStored)
    }

    /// RFC 9110, section 9.3.3.
    @Test func aPostIsStoredOnlyIfItsResponseNamesItsOwnURL() {
        let post = CacheEngine.Exchange.test(["Cache-Control": "max-age=60"], method: .post)
        #expect(CacheEngine.judge(post).response == nil)
        #expect(CacheEngine.judge(post, isOwnURL: true).response != nil)
        let guess = CacheEngine.Exchange.test(["Last-Modified": httpDate(-1000)], method: .post)
        #expect(CacheEngine.judge(guess, isOwnURL: true).response == nil)
    }

    /// RFC 9111, section 3.1.
    @Test func storesNoFieldOfTheConnection() throws {
        let headers: HTTPHeaders = [
            "Connection": "close, X-Hop", "x-hop": "1", "Keep-Alive": "1", "Proxy-Authenticate": "1", "TE": "1",
            "Proxy-Authentication-Info": "1", "Proxy-Authorization": "1", "Proxy-Connection": "1", "Upgrade": "1",
            "Transfer-Encoding": "chunked", "Set-Cookie": "a=1", "set-cookie": "b=2", "X-Own": "1", "Age": "3",
            "Cache-Control": "max-age=60, no-cache=\"x-drop\"", "X-Drop": "1", "Date": httpDate(0),
        ]
        let response = try #require(CacheEngine.judge(.test(headers)).response)
        #expect(response.headers.fields.map(\.name) == ["Set-Cookie", "set-cookie", "X-Own", "Cache-Control", "Date"])
        #expect(response.receivedAge == 3)
    }

    /// RFC 9110, section 6.6.1.
    @Test func aResponseWithoutADateGetsTheTimeOfArrival() throws {
        let response = try #require(CacheEngine.judge(.test(["Cache-Control": "max-age=60"])).response)
        #expect(response.headers["Date"] == httpDate(0))
    }

    /// RFC 9111, sections 3.2 and 4.3.4.
    @Test func a304UpdatesTheStoredResponse() throws {
        let stored = StoredResponse.test(
            [
                "ETag": "\"1\"", "Cache-Control": "max-age=1", "X-Old": "1", "X-Both": "1", "Content-Length": "4",
                "Content-Encoding": "a", "Date": httpDate(-100),
            ],
            age: 100
        )
        let newer: HTTPHeaders = [
            "ETag": "\"1\"", "Cache-Control": "max-age=60", "X-Both": "2", "x-both": "3", "Content-Length": "0",
            "Content-Encoding": "b", "Connection": "X-Hop", "X-Hop": "1", "Date": httpDate(0), "Age": "5",
        ]
        let confirmed = try #require(
            CacheEngine.confirm(
                stored,
                by: CacheEngine.Renewal(headers: newer, requestDate: cacheStart, responseDate: cacheStart)
            )
        )
        #expect(confirmed.headers.values(of: "X-Both") == ["2", "3"])
        #expect(confirmed.headers["X-Old"] == "1")
        #expect(confirmed.headers["Content-Length"] == "4")
        #expect(confirmed.headers["Content-Encoding"] == "a")
        #expect(confirmed.headers["X-Hop"] == nil)
        #expect(confirmed.headers["Date"] == httpDate(0))
        #expect(confirmed.life.seconds == 60)
        #expect(confirmed.age(at: cacheStart) == 5)
        #expect(confirmed.bodyID == stored.bodyID)
    }

    /// RFC 9111, section 4.3.4: a strong validator identifies the response that is confirmed.
    @Test(
        arguments: [
            ("\"1\"", "\"1\"", true), ("\"1\"", "\"2\"", false), ("\"1\"", nil, true), (nil, "\"1\"", false),
            ("W/\"1\"", "W/\"1\"", true), ("W/\"1\"", "W/\"2\"", false), ("\"1\"", "W/\"1\"", true),
            ("W/\"1\"", "\"1\"", false),
        ] as [(String?, String?, Bool)]
    )
    func a304ConfirmsOnlyTheResponseThatItIdentifies(stored: String?, confirmed: String?, isAbout: Bool) {
        var old: HTTPHeaders = ["Last-Modified": httpDate(-10)]
        if let stored { old["ETag"] = stored }
        var newer: HTTPHeaders = [:]
        if let confirmed { newer["ETag"] = confirmed }
        let response = CacheEngine.confirm(
            .test(old),
            by: CacheEngine.Renewal(headers: newer, requestDate: cacheStart, responseDate: cacheStart)
        )
        #expect((response != nil) == isAbout)
    }

    /// RFC 9111, section 4.3.5.
    @Test(
        arguments: [
            (["X": "2"], true), (["ETag": "\"2\""], false), (["Content-Length": "5"], false),
            (["Last-Modified": httpDate(0)], false), (["ETag": "\"1\"", "Content-Length": "4"], true),
        ] as [(HTTPHeaders, Bool)]
    )
    func aHeadUpdatesTheStoredResponseOrInvalidatesIt(headers: HTTPHeaders, isGood: Bool) {
        let stored = StoredResponse.test([
            "ETag": "\"1\"", "Content-Length": "4", "Last-Modified": httpDate(-10), "X": "1",
        ])
        let renewed = CacheEngine.refresh(
            stored,
            byHead: CacheEngine.Renewal(headers: headers, requestDate: cacheStart, responseDate: cacheStart)
        )
        #expect((renewed != nil) == isGood)
    }

    /// RFC 9111, section 4.3.2: `If-None-Match` takes precedence over `If-Modified-Since`.
    @Test(
        arguments: [
            (["If-None-Match": "\"1\""], true), (["If-None-Match": "W/\"1\""], true),
            (["If-None-Match": "\"0\", \"1\""], true),
            (["If-None-Match": "\"2\""], false), (["If-None-Match": "*"], true),
            (["If-None-Match": "\"0,\\\"1\\\"\""], false),
            (["If-None-Match": "\"2\"", "If-Modified-Since": httpDate(0)], false),
            (["If-Modified-Since": httpDate(-10)], true),
            (["If-Modified-Since": httpDate(-11)], false), (["If-Modified-Since": "x"], false), ([:], false),
        ] as [(HTTPHeaders, Bool)]
    )
    func theCallersConditionsAreEvaluated(asking: HTTPHeaders, isNotModified: Bool) {
        let stored = StoredResponse.test(["ETag": "\"1\"", "Last-Modified": httpDate(-10)])
        let cacheRequest = CacheRequest(method: .get, headers: asking)
        #expect(CacheEngine.isNotModified(cacheRequest, stored, now: cacheStart) == isNotModified)
    }

    /// RFC 9111, section 4.4.
    @Test func aChangeInvalidatesTheURLsOfItsOriginThatItNames() throws {
        let url = try #require(URL(string: "https://a.example/items"))
        let invalid = CacheEngine.alsoInvalid(
            after: ["Location": "/items/1?a[b]=%20", "Content-Location": "https://b.example/items"],
            of: url
        )
        #expect(invalid.map(\.absoluteString) == ["https://a.example/items/1?a%5Bb%5D=%20"])
        #expect([200, 204, 301, 303].allSatisfy { CacheEngine.changes(HTTPStatus($0)) })
        #expect([400, 404, 500].allSatisfy { !CacheEngine.changes(HTTPStatus($0)) })
    }

    /// RFC 9111, section 4.1.
    @Test(
        arguments: [
            (["Vary": "A, b"], ["a", "b"]), (["Vary": "*"], nil), (["Vary": ", *"], nil),
            (["Vary": "a", "vary": "*"], nil),
            (["Vary": "b", "vary": "a,b"], ["a", "b"]), ([:], []), (["Vary": ""], []),
        ] as [(HTTPHeaders, [String]?)]
    )
    func readsVary(headers: HTTPHeaders, names: [String]?) {
        #expect(VaryNames.of(headers) == names)
    }

    @Test(
        arguments: [
            ("x-a", ["1, 2"], ["1", "2"], true), ("x-a", [" 1,2 "], ["1, 2"], true), ("x-a", ["1, 2"], ["2, 1"], false),
            ("x-a", ["a"], ["A"], false), ("x-a", ["\"1, 2\""], ["\"1,2\""], false), ("x-a", [], [""], false),
            ("accept-language", ["en, de"], ["DE,en"], true), ("accept-language", ["en, de"], ["en;q=0.5, de"], false),
            ("accept-language", ["en; q=0.5"], ["en;q=0.5"], true), ("accept-profile", ["Sales"], ["sales"], false),
            ("accept", ["a/b;c=\"D e\""], ["a/b;c=\"de\""], false), ("accept", ["a/b , c/d"], ["a/b,c/d"], true),
        ] as [(String, [String], [String], Bool)]
    )
    func equivalentRequestsAreEqual(name: String, one: [String], other: [String], isSame: Bool) {
        let values = [one, other].map { VaryNames.value(of: name, in: HTTPHeaders($0.map { .init(name, $0) })) }
        #expect((values[0] == values[1]) == isSame)
    }

    /// RFC 9110, section 14.1.2.
    @Test(
        arguments: [
            ("bytes=0-1", .part(0..<2)), ("bytes=1-", .part(1..<10)), ("bytes=-3", .part(7..<10)),
            ("bytes=-30", .part(0..<10)),
            ("bytes=0-99", .part(0..<10)), ("bytes=9-9", .part(9..<10)), ("bytes=10-", .unsatisfiable),
            ("bytes=-0", .unsatisfiable), ("bytes=0-1,4-5", .several), ("bytes=2-1", .whole), ("bytes=a-b", .whole),
            ("bytes=", .whole), ("bytes=-", .whole), ("items=0-1", .whole), ("bytes=1-2-3", .whole),
            ("bytes=0-99999999999999999999", .part(0..<10)), ("bytes=99999999999999999999-", .unsatisfiable),
            ("bytes=-99999999999999999999", .part(0..<10)), ("BYTES=0-0", .part(0..<1)),
        ] as [(String, ByteRange)]
    )
    func readsRanges(text: String, range: ByteRange) {
        #expect(ByteRange.reading(text, length: 10) == range)
    }

    @Test func noRangeOfAnEmptyBodyIsSatisfiable() {
        #expect(ByteRange.reading("bytes=0-", length: 0) == .unsatisfiable)
        #expect(ByteRange.reading("bytes=-5", length: 0) == .unsatisfiable)
    }
}
