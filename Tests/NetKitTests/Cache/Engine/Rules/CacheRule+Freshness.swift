import Foundation
import NetKitTesting
import Testing

@testable import NetKit

extension CacheRule {
    /// Section 4.2: how long a response is fresh, its age, and the handling of stale ones.
    static var freshness: [CacheRule] {
        [
            CacheRule("4.2", .should, "read dates in any case of letters") { it async throws in
                let date = httpDate(60)
                for text in [date.lowercased(), date.uppercased()] { #expect(try await it.reuses(["Expires": text])) }
            },
            CacheRule("4.2", .should, "ignore a date in a zone other than GMT") { it async throws in
                for zone in ["UTC", "EST", "+0000", "Z", ""] {
                    let text = httpDate(600).replacingOccurrences(of: "GMT", with: zone)
                    #expect(try await !it.reuses(["Expires": text]), "\(zone)")
                }
            },
            CacheRule("4.2", .mustNot, "read dates in the local time zone") { _ in
                // The same number in any time zone of the machine: only GMT is read, and nothing is added to it.
                #expect(
                    CacheDate.parse("Sun, 06 Nov 1994 08:49:37 GMT", now: cacheStart)?.timeIntervalSince1970
                        == 784_111_777
                )
                #expect(
                    CacheDate.parse("Sun Nov  6 08:49:37 1994", now: cacheStart)?.timeIntervalSince1970 == 784_111_777
                )
            },
            CacheRule("4.2.1", .must, "use max-age, or else Expires minus Date, or else a guess") { it async throws in
                let guess = ["Last-Modified": httpDate(-1000)] as HTTPHeaders
                #expect(try await it.reuses(guess, after: 99))
                #expect(try await !it.reuses(guess, after: 120))
                var dated = guess
                dated["Date"] = httpDate(it.time.clock.date.timeIntervalSince(cacheStart))
                dated["Expires"] = httpDate(it.time.clock.date.timeIntervalSince(cacheStart) + 300)
                #expect(try await it.reuses(dated, after: 299))
                var aged = dated
                aged["Date"] = nil
                aged["Cache-Control"] = "max-age=500"
                #expect(try await it.reuses(aged, after: 499))
                #expect(try await !it.reuses(aged, after: 500))
            },
            CacheRule("4.2.1", .mustNot, "use a lifetime that is for shared caches") { it async throws in
                #expect(try await it.reuses(["Cache-Control": "max-age=60, s-maxage=1"], after: 59))
                #expect(try await !it.reuses(["Cache-Control": "s-maxage=60"], after: 1))
            },
            CacheRule("4.2.1", .should, "treat contradictory lifetimes as stale") { it async throws in
                #expect(try await !it.reuses(["Cache-Control": "max-age=60, max-age=61"]))
                #expect(try await !it.reuses(["Cache-Control": "max-age=60", "cache-control": "max-age=61"]))
                #expect(try await !it.reuses(["Expires": httpDate(60), "expires": httpDate(61)]))
            },
            CacheRule("4.2.1", .should, "treat a lifetime that is not a number as stale") { it async throws in
                for text in ["-1", "1.5", "1e9", "", "sixty", "60s", "'60'", "0x3C"] {
                    #expect(try await !it.reuses(["Cache-Control": "max-age=\(text)"]), "\(text)")
                }
            },
            CacheRule("4.2.2", .mustNot, "guess a lifetime if the response states one") { it async throws in
                let changed = httpDate(-1e6)
                #expect(try await !it.reuses(["Cache-Control": "max-age=1", "Last-Modified": changed], after: 2))
                #expect(try await !it.reuses(["Expires": httpDate(1), "Last-Modified": changed], after: 2))
                #expect(try await !it.reuses(["Expires": "0", "Last-Modified": changed]))
            },
            CacheRule("4.2.2", .mustNot, "guess a lifetime for a status that does not allow it") { it async throws in
                for code in [201, 202, 302, 307, 400, 401, 403, 500, 502, 503] {
                    #expect(
                        try await !it.reuses(["Last-Modified": httpDate(-1e6)], status: HTTPStatus(code)),
                        "\(code)"
                    )
                }
                for code in [200, 203, 204, 404, 405, 410, 414, 501] {
                    #expect(try await it.reuses(["Last-Modified": httpDate(-1e6)], status: HTTPStatus(code)), "\(code)")
                }
            },
            CacheRule("4.2.3", .must, "count the age at the server, and the time on the way") {
                it async throws in
                #expect(try await it.reuses(["Cache-Control": "max-age=60", "Age": "30"], after: 29))
                #expect(try await !it.reuses(["Cache-Control": "max-age=60", "Age": "30"], after: 30))
                let date = httpDate(it.time.clock.date.timeIntervalSince(cacheStart) - 30)
                #expect(try await !it.reuses(["Cache-Control": "max-age=60", "Date": date], after: 30))
                #expect(StoredResponse.test(["Age": "30"], delay: 2).age(at: cacheStart) == 32)
                #expect(StoredResponse.test(["Age": "5", "Date": httpDate(-30)], delay: 2).age(at: cacheStart) == 30)
            },
            CacheRule(
                "4.2.4",
                .mustNot,
                "use a stale response if must-revalidate or no-cache forbids it, even if a request or policy allows it"
            ) { _ in
                for control in ["max-age=10, must-revalidate", "max-age=10, no-cache"] {
                    let it = CachedClient(servesStaleWhenDisconnected: true)
                    let stored = MockResponse.text("1").header("ETag", "\"1\"").header(
                        "Cache-Control",
                        "\(control), stale-if-error=999, stale-while-revalidate=999"
                    )
                    it.transport.stub(.get, "/x", stored, .failure(URLError(.cannotConnectToHost)))
                    _ = try await it.get()
                    it.time.advance(by: .seconds(20))
                    for policy in [CachePolicy.standard, .networkFirst, .cacheFirst] {
                        await #expect(throws: NetKitError.self) {
                            try await it.get("/x", ["Cache-Control": "max-stale, stale-if-error=999"], policy: policy)
                        }
                    }
                    await #expect(throws: NetKitError.self) { try await it.get(policy: .cacheOnly) }
                }
            },
            CacheRule("4.2.4", .mustNot, "use a stale response without permission of the caller or the server") {
                it async throws in
                it.transport.stub(
                    .get,
                    "/x",
                    .text("1").header("Cache-Control", "max-age=10"),
                    .failure(URLError(.cannotConnectToHost)),
                    .status(503)
                )
                _ = try await it.get()
                it.time.advance(by: .seconds(20))
                // A client that fails to connect serves a stale response only if it was configured to.
                await #expect(throws: NetKitError.self) { try await it.get() }
                #expect(try await it.get("/x", ["Cache-Control": "max-stale"]).text == "1")
                #expect(try await it.get().response.status == .serviceUnavailable)
                #expect(try await it.get("/x", ["Cache-Control": "stale-if-error=60"]).text == "1")
            },
        ]
    }
}
