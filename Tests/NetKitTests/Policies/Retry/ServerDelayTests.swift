import Foundation
import Testing

@testable import NetKit

/// Tests of a table after RFC 9110, sections 10.2.3 (Retry-After), 5.6.7 (dates), 5.5 and 5.3 (field values).
struct ServerDelayTests {
    struct Row: Sendable {
        let values: [String]
        var now: Double = 784_111_777  // Sun, 06 Nov 1994 08:49:37 GMT
        let seconds: Int64?

        init(_ values: String..., now: Double = 784_111_777, seconds: Int64?) {
            (self.values, self.now, self.seconds) = (values, now, seconds)
        }
    }

    static let rows = [
        Row("0", seconds: 0), Row("1", seconds: 1), Row("120", seconds: 120), Row("007", seconds: 7),
        Row("2147483648", seconds: 2_147_483_648), Row(" \t120", seconds: 120), Row("120 \t", seconds: 120),
        Row("Sun, 06 Nov 1994 08:50:37 GMT", seconds: 60), Row("Sunday, 06-Nov-94 08:50:37 GMT", seconds: 60),
        Row("Sun Nov  6 08:50:37 1994", seconds: 60),
        Row("Fri, 31 Dec 1999 23:59:59 GMT", now: 946_684_739, seconds: 60),
        Row("Sun, 06 Nov 1994 08:49:37 GMT", seconds: 0), Row("Sun, 06 Nov 1994 08:48:37 GMT", seconds: 0),
        Row("Thu, 01 Jan 1970 00:00:00 GMT", seconds: 0),
        Row("Tuesday, 01-Jan-75 00:00:00 GMT", now: 1_767_225_600, seconds: 1_546_300_800),
        Row("Sunday, 06-Nov-94 08:50:37 GMT", now: 1_767_225_600, seconds: 0),
        Row("Sat, 31 Dec 2016 23:59:60 GMT", now: 1_483_228_740, seconds: 60),
        Row("-1", seconds: nil), Row("+5", seconds: nil), Row("1.5", seconds: nil), Row("", seconds: nil),
        Row("  ", seconds: nil), Row("soon", seconds: nil), Row("120s", seconds: nil), Row("120, 60", seconds: nil),
        Row("120", "60", seconds: 120), Row("60", "120", seconds: 120), Row("60", "60", seconds: 60),
        Row("soon", "60", seconds: 60), Row("30", "Sun, 06 Nov 1994 08:50:37 GMT", seconds: 60),
        Row("soon", "", seconds: nil), Row("1994-11-06T08:50:37Z", seconds: nil),
        Row("Sun, 31 Feb 2027 08:50:37 GMT", seconds: nil), Row("１２０", seconds: nil),
    ]

    private func read(_ headers: HTTPHeaders, _ status: HTTPStatus = 503, now: Double = 784_111_777) -> Duration? {
        ServerDelay.read(status: status, headers: headers, now: Date(timeIntervalSince1970: now))
    }

    @Test(arguments: rows)
    func readsRetryAfter(row: Row) {
        let headers = HTTPHeaders(row.values.map { .init("Retry-After", $0) })
        #expect(read(headers, now: row.now) == row.seconds.map { .seconds($0) })
    }

    @Test func countsAreSaturated() throws {
        for value in ["99999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"] {
            #expect(try #require(read(["Retry-After": value])) >= .seconds(2_147_483_648))
        }
    }

    @Test func aDateIsHeldAgainstTheServersOwnClock() {
        let headers: HTTPHeaders = [
            "Retry-After": "Sun, 06 Nov 1994 08:50:37 GMT", "Date": "Sun, 06 Nov 1994 08:50:07 GMT",
        ]
        #expect(read(headers) == .seconds(30))
        #expect(read(headers, now: 1_900_000_000) == .seconds(30))
        #expect(read(["Retry-After": "Sun, 06 Nov 1994 08:50:37 GMT", "Date": "now"]) == .seconds(60))
    }

    @Test(arguments: ["RateLimit-Reset", "X-RateLimit-Reset", "x-rate-limit-reset"])
    func theResetOfARateLimitCountsOnlyIfTheLimitWasHit(name: String) {
        #expect(read([name: "30"], 429) == .seconds(30))
        #expect(read([name: "999999999"], 429) == .seconds(999_999_999))
        #expect(read([name: "1800000030"], 429, now: 1_800_000_000) == .seconds(30))
        #expect(read([name: "1700000000"], 429, now: 1_800_000_000) == .zero)
        #expect(read([name: "1800000030500"], 429, now: 1_800_000_000) == .milliseconds(30_500))
        #expect(read([name: "1700000000000"], 429, now: 1_800_000_000) == .zero)
        for number in ["999999999999", "10000000000000"] {
            #expect(read([name: number], 429, now: 1_800_000_000) == .nanoseconds(Int64.max))
        }
        #expect(read([name: "30"], 503) == nil)
        #expect(read([name: "30", "RateLimit-Remaining": "0"], 503) == .seconds(30))
        #expect(read([name: "30", "X-RateLimit-Remaining": "7"], 503) == nil)
        #expect(read([name: "soon"], 429) == nil)
    }

    /// The examples of draft-ietf-httpapi-ratelimit-headers-11, sections 4.2 and 6, and lists of several policies.
    @Test(
        arguments: [
            (#""default";r=50;t=30"#, 30, nil), (#""default";r=999;pk=:dHJpYWwxMjEzMjM=:"#, nil, nil),
            (#""default";r=300000000;t=60;pk=:QXBwLTk5OQ==:"#, 60, nil), (#""problemPolicy";r=0;t=10"#, 10, 10),
            (#""burst";r=0;t=5, "daily";r=0;t=3600, "other";r=9;t=9000"#, 3600, 3600),
            (#""burst";r=7;t=5, "daily";r=80;t=3600"#, 5, nil), (#""a;b,c";acme="x";r=0; t=7"#, 7, 7),
            (#""default";r=0"#, nil, nil), (#""default";r=0;t=0"#, 0, 0),
        ] as [(String, Int64?, Int64?)]
    )
    func theWindowOfALimitCounts(_ value: String, _ refused: Int64?, _ unavailable: Int64?) {
        #expect(read(["RateLimit": value], 429) == refused.map { .seconds($0) })
        #expect(read(["RateLimit": value], 503) == unavailable.map { .seconds($0) })
        #expect(read(["RateLimit": value, "Retry-After": "2"], 429) == .seconds(2))
    }

    @Test(arguments: [
        #""default";t=30"#, #""default";r=-1;t=30"#, #""default";r=0;t=-30"#, #""default";r=0;t=1.5"#,
        #""default";r="0";t=30"#, #""default";r=0;t=1000000000000000"#, #""default;r=0;t=30"#, "r=0;t=30", "30", "",
        #""default";r=0;t=30, "daily";r=x;t=5"#, "limit=100, remaining=0, reset=30",
    ])
    func aMalformedLimitIsIgnored(_ value: String) {
        #expect(read(["RateLimit": value], 429) == nil)
        #expect(read(["RateLimit": value, "RateLimit-Reset": "8"], 429) == .seconds(8))
    }

    @Test func retryAfterComesBeforeTheReset() {
        #expect(read(["RateLimit-Reset": "30", "Retry-After": "5"], 429) == .seconds(5))
        #expect(read(["RateLimit-Reset": "30", "Retry-After": "junk"], 429) == nil)
        #expect(read([:], 429) == nil)
    }
}
