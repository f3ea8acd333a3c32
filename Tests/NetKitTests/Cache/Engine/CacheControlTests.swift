import Testing

@testable import NetKit

struct CacheControlTests {
    /// Tests of RFC 9111, section 5.2: names in any case, tokens and quoted texts, unknown directives left alone.
    @Test(
        arguments: [
            ("max-age=60", 60), ("MaX-AgE=60", 60), ("max-age=\"60\"", 60), ("  max-age=60 ,,", 60),
            ("max-age=0060", 60),
            ("x, max-age=60, y=\"a,b\"", 60), ("x=\"max-age=1, a\", max-age=60", 60), ("max-age=60, max-age=60", 60),
            ("max-age=99999999999999999999", 2_147_483_648), ("max-age=2147483648", 2_147_483_648),
        ] as [(String, Int64)]
    )
    func readsAnAge(text: String, seconds: Int64) {
        #expect(CacheControl(["Cache-Control": text]).maxAge == seconds)
    }

    /// RFC 9111, section 4.2.1: an invalid or contradictory number means stale.
    @Test(arguments: [
        "max-age=-1", "max-age=1.5", "max-age=", "max-age", "max-age =60", "max-age= 60", "max-age=a60", "max-age=60a",
        "max-age='60'", "max-age=\"60", "max-age=60, max-age=61", "max-age=61, max-age=60",
    ])
    func readsAnInvalidMaxAgeAsStale(text: String) {
        #expect(CacheControl(["Cache-Control": text]).maxAge == 0)
    }

    @Test(arguments: ["", ",", "xmax-age=60", "max-agex=60", "s-maxage=60", "\"max-age=60\"", "=60"])
    func findsNoMaxAgeIfThereIsNone(text: String) {
        #expect(CacheControl(["Cache-Control": text]).maxAge == nil)
    }

    @Test func severalFieldsAreOneList() {
        let control = CacheControl(["Cache-Control": "no-store", "cache-control": "must-revalidate, max-age=5"])
        #expect(control.noStore)
        #expect(control.mustRevalidate)
        #expect(control.maxAge == 5)
        #expect(CacheControl(["Cache-Control": "max-age=5", "cache-control": "max-age=6"]).maxAge == 0)
    }

    /// RFC 9111, section 5.2.2.4: with names, the directive applies to those fields; without, to the response.
    @Test func noCacheMayNameFields() {
        #expect(CacheControl(["Cache-Control": "no-cache"]).noCache)
        #expect(CacheControl(["Cache-Control": "no-cache=\"\""]).noCache)
        #expect(CacheControl(["Cache-Control": "no-cache=\"a"]).noCache)
        let named = CacheControl(["Cache-Control": "no-cache=\"Set-Cookie, X\""])
        #expect(!named.noCache)
        #expect(named.noCacheFields == ["set-cookie", "x"])
    }

    @Test func readsTheOtherDirectives() {
        let response = CacheControl([
            "Cache-Control": "public, immutable, must-understand, stale-while-revalidate=5, stale-if-error=7"
        ])
        #expect(response.isPublic && response.isImmutable && response.mustUnderstand)
        #expect(response.staleWhileRevalidate == 5 && response.staleIfError == 7)
        let request = CacheControl(["Cache-Control": "max-stale, min-fresh=3, only-if-cached"])
        #expect(request.maxStale == DeltaSeconds.maxValue && request.minFresh == 3 && request.onlyIfCached)
        #expect(CacheControl(["Cache-Control": "max-stale=4"]).maxStale == 4)
        #expect(CacheControl(["Cache-Control": "max-stale=x, stale-if-error=-1"]) == isPresent)
    }

    private var isPresent: CacheControl {
        var control = CacheControl()
        control.isPresent = true
        return control
    }

    /// RFC 9111, section 5.1: the first member counts, and one that is not a number does not.
    @Test(
        arguments: [
            (["60"], 60), (["60, 0"], 60), (["0, 60"], 0), (["60", "0"], 60), (["abc"], 0), (["-60"], 0), (["60.0"], 0),
            (["99999999999"], 2_147_483_648), ([""], 0), ([" 60\t"], 60), (["60;x"], 0),
        ] as [([String], Int64)]
    )
    func readsTheReceivedAge(values: [String], age: Int64) {
        #expect(DeltaSeconds.age(in: HTTPHeaders(values.map { .init("age", $0) })) == age)
    }

    /// RFC 9111, section 4.2: dates in any case, but in no other form.
    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "sun, 06 nov 1994 08:49:37 gmt", "SUN, 06 NOV 1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ])
    func readsDatesInAnyCase(text: String) {
        #expect(CacheDate.parse(text, now: cacheStart)?.timeIntervalSince1970 == 784_111_777)
    }

    @Test(arguments: [
        "0", "-1", "", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 AEST", "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun 06 Nov 1994 08:49:37 GMT", "Sun, 06  Nov 1994 08:49:37 GMT", "Sun, 06-Nov-1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08.49.37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
    ])
    func refusesTextThatIsNotADate(text: String) {
        #expect(CacheDate.parse(text, now: cacheStart) == nil)
        let stale = StoredResponse.test(["Expires": text])
        #expect(stale.life == FreshnessLifetime(seconds: 0, source: .server))
    }
}
