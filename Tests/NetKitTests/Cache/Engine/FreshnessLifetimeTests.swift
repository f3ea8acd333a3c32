import Foundation
import Testing

@testable import NetKit

/// Tests of RFC 9111, section 4.2.
struct FreshnessLifetimeTests {
    /// Section 4.2.1: `max-age` before `Expires` before a guess; `s-maxage` is for shared caches.
    @Test(
        arguments: [
            (["Cache-Control": "max-age=60"], 60, FreshnessLifetime.Source.server),
            (["Cache-Control": "max-age=60, s-maxage=5"], 60, .server),
            (["Cache-Control": "max-age=60", "Expires": httpDate(-5)], 60, .server),
            (["Cache-Control": "max-age=0", "Expires": httpDate(60)], 0, .server),
            (["Expires": httpDate(60), "Date": httpDate(0)], 60, .server),
            (["Expires": httpDate(60)], 60, .server), (["Expires": httpDate(60), "Date": "never"], 60, .server),
            (["Expires": httpDate(-60), "Date": httpDate(-120)], 60, .server),
            (["Expires": httpDate(0), "Date": httpDate(0)], 0, .server), (["Expires": httpDate(-60)], 0, .server),
            (["Expires": httpDate(60), "expires": httpDate(60)], 0, .server),
            (["Last-Modified": httpDate(-1000)], 100, .guess), (["Last-Modified": httpDate(-9e7)], 86_400, .guess),
            (["Last-Modified": httpDate(50)], 0, .guess), (["Last-Modified": "long ago"], 0, .unknown),
            (["Cache-Control": "no-cache", "Last-Modified": httpDate(-1000)], 0, .server), ([:], 0, .unknown),
        ] as [(HTTPHeaders, Double, FreshnessLifetime.Source)]
    )
    func knowsHowLongAResponseIsFresh(headers: HTTPHeaders, seconds: Double, source: FreshnessLifetime.Source) {
        #expect(StoredResponse.test(headers).life == FreshnessLifetime(seconds: seconds, source: source))
    }

    /// Section 4.2.2: a guess only for statuses that allow it, or if `public` says so, and not with a query.
    @Test(arguments: [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501, 201, 202, 302, 403, 502, 503, 599])
    func guessesOnlyIfTheStatusAllowsIt(code: Int) {
        let allowed: Set = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]
        let headers: HTTPHeaders = ["Last-Modified": httpDate(-1000)]
        let response = StoredResponse.test(headers, status: HTTPStatus(code))
        #expect(response.life.source == (allowed.contains(code) ? .guess : .unknown))
        var open = headers
        open["Cache-Control"] = "public"
        #expect(StoredResponse.test(open, status: HTTPStatus(code)).life.source == .guess)
        #expect(StoredResponse.test(open, status: HTTPStatus(code), mayGuess: false).life.source == .unknown)
    }

    /// The caller's lifetime counts if the server gives none.
    @Test func theCallersTTLIsForResponsesWithoutALifetime() {
        #expect(StoredResponse.test([:], ttl: 30).life == FreshnessLifetime(seconds: 30, source: .caller))
        #expect(StoredResponse.test(["Last-Modified": httpDate(-1000)], ttl: 30).life.source == .caller)
        #expect(StoredResponse.test(["Cache-Control": "max-age=5"], ttl: 30).life.seconds == 5)
    }

    /// Section 4.2.3: the larger of the age by the date and the received age, and the time since.
    @Test(
        arguments: [
            (["Date": httpDate(0)], 0.0, 0.0), (["Date": httpDate(-10)], 0, 10), (["Date": httpDate(10)], 0, 0),
            (["Age": "30"], 0, 30), (["Age": "30", "Date": httpDate(-10)], 0, 30),
            (["Age": "5", "Date": httpDate(-10)], 0, 10), (["Age": "30"], 2, 32), ([:], 2, 2), (["Age": "x"], 0, 0),
        ] as [(HTTPHeaders, Double, Double)]
    )
    func knowsHowOldAResponseIs(headers: HTTPHeaders, delay: Double, age: Double) {
        let response = StoredResponse.test(headers, delay: delay)
        #expect(response.age(at: cacheStart) == age)
        #expect(response.age(at: cacheStart.addingTimeInterval(100)) == age + 100)
        // The time that has really passed is not known to a clock that was set back.
        #expect(response.age(at: cacheStart.addingTimeInterval(-100)) == age + 100)
    }
}
