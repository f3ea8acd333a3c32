import Foundation
import NetKitTesting
import Testing

@testable import NetKit

private let fresh: HTTPHeaders = ["Cache-Control": "max-age=60"]

extension CacheRule {
    /// Sections 1.2.2 and 5: reading and writing the fields.
    static var fields: [CacheRule] {
        [
            CacheRule("1.2.2", .must, "treat a number of seconds that is too large as the largest") {
                it async throws in
                for text in ["2147483648", "99999999999", "99999999999999999999999999999999"] {
                    #expect(try await it.reuses(["Cache-Control": "max-age=\(text)"], after: 2_000_000_000), "\(text)")
                    #expect(try await !it.reuses(["Cache-Control": "max-age=2147483647", "Age": text]), "\(text)")
                }
            },
            CacheRule("5.1", .must, "write Age as a whole number of seconds that is not negative") { it async throws in
                it.always(["Cache-Control": "max-age=60", "Date": httpDate(30)])
                _ = try await it.get()
                it.time.advance(by: .seconds(1.9))
                #expect(try await it.get().response.headers.values(of: "Age") == ["1"])
            },
            CacheRule("5.1", .should, "use the first of several ages, and ignore one that is not a number") {
                it async throws in
                for (ages, isFresh) in [
                    (["50", "0"], false), (["0", "50"], true), (["50, 0"], false), (["0, 50"], true), (["x"], true),
                    (["-50"], true), (["50.0"], true), (["50;a=b"], true), (["x", "50"], true),
                ] {
                    var headers = fresh
                    for age in ages { headers.add("Age", age) }
                    #expect(try await it.reuses(headers, after: 20) == isFresh, "\(ages)")
                }
            },
            CacheRule("5.2", .must, "read names of directives in any case, and arguments with and without quotes") {
                it async throws in
                for text in ["MAX-AGE=60", "Max-Age=\"60\"", "max-age=60", ",, max-age=60 ,", "x, max-age=60"] {
                    #expect(try await it.reuses(["Cache-Control": text], after: 59), "\(text)")
                }
                #expect(try await !it.reuses(["Cache-Control": "max-age=60, NO-STORE"]))
                #expect(try await !it.reuses(fresh, then: ["Cache-Control": "No-Cache"]))
            },
            CacheRule("5.2", .must, "pass the directives of a request on") { it async throws in
                it.always([:])
                _ = try await it.get("/x", ["Cache-Control": "no-cache, max-stale=5, x-new=\"a, b\""])
                let sent = it.transport.requests.last?.headers.values(of: "Cache-Control")
                #expect(sent == ["no-cache, max-stale=5, x-new=\"a, b\""])
            },
            CacheRule("5.2.3", .must, "ignore directives that it does not know") { it async throws in
                let strange = "x-new, x-other=\"no-store, max-age=0\", =, ;, max-age=60, community=UCI, max-agee=0"
                #expect(
                    try await it.reuses(["Cache-Control": strange], after: 59, then: ["Cache-Control": "x-no-cache"])
                )
            },
            CacheRule("5.3", .must, "ignore Expires beside max-age") { it async throws in
                #expect(try await it.reuses(["Cache-Control": "max-age=60", "Expires": "0"], after: 59))
                #expect(try await !it.reuses(["Cache-Control": "max-age=1", "Expires": httpDate(9e6)], after: 2))
            },
            CacheRule("5.3", .must, "treat an Expires that is not a date, such as 0, as past") { it async throws in
                for text in [
                    "0", "-1", "", "never", "Thu, 99 Dec 2050 00:00:00 GMT", "2050-01-01T00:00:00Z", "4102444800",
                ] {
                    #expect(try await !it.reuses(["Expires": text, "Last-Modified": httpDate(-1e6)]), "\(text)")
                }
            },
            CacheRule("5.4", .should, "treat Pragma: no-cache as no-cache if there is no Cache-Control") {
                it async throws in
                #expect(try await !it.reuses(fresh, then: ["Pragma": "no-cache"]))
                #expect(try await it.reuses(fresh, then: ["Pragma": "no-cache", "Cache-Control": "max-stale"]))
                // It means nothing in a response.
                #expect(try await it.reuses(["Cache-Control": "max-age=60", "Pragma": "no-cache"]))
            },
            CacheRule("5.5", .shouldNot, "write Warning, which is obsolete") { it async throws in
                it.always(fresh)
                _ = try await it.get()
                it.time.advance(by: .seconds(70))
                let stale = try await it.get("/x", ["Cache-Control": "max-stale"])
                #expect(stale.text == "1" && !stale.response.headers.contains("Warning"))
            },
        ]
    }

    /// The rules of RFC 9110 that RFC 9111 builds on: dates, conditions, ranges, POST.
    static var ofHTTP: [CacheRule] {
        [
            CacheRule("RFC 9110 6.6.1", .must, "record the time of arrival if a response has no Date") {
                it async throws in
                it.always(fresh)
                _ = try await it.get()
                it.time.advance(by: .seconds(5))
                #expect(try await it.get().response.headers.values(of: "Date") == [httpDate(0)])
            },
            CacheRule("RFC 9110 9.3.3", .may, "store the response to a POST only if a GET would return the same") {
                it async throws in
                it.always(["Cache-Control": "max-age=60", "Content-Location": "/v1/x"])
                #expect(try await it.get(method: .post).text == "1")
                #expect(try await it.get().text == "1")
                it.always(["Cache-Control": "max-age=60", "Content-Location": "/v1/z"])
                _ = try await it.get("/y", method: .post)
                #expect(try await it.get("/y").text == "2")
            },
            CacheRule("RFC 9110 13.1.5", .must, "compare If-Range strongly, and send the whole if it does not match") {
                it async throws in
                it.always(["ETag": "\"1\"", "Last-Modified": httpDate(-50), "Cache-Control": "max-age=60"])
                _ = try await it.get("/a")
                it.always(["ETag": "W/\"1\"", "Cache-Control": "max-age=60"])
                _ = try await it.get("/b")
                // Changed within the second in which it was sent, so it may have changed once more since.
                it.always(["Last-Modified": httpDate(0), "Cache-Control": "max-age=60"])
                _ = try await it.get("/c")
                for (path, condition, isPart) in [
                    ("/a", "\"1\"", true), ("/a", "\"2\"", false), ("/a", "W/\"1\"", false),
                    ("/a", httpDate(-50), true),
                    ("/a", httpDate(-49), false), ("/c", httpDate(0), false), ("/b", "W/\"1\"", false),
                    ("/b", "\"1\"", false),
                ] {
                    let headers: HTTPHeaders = ["Range": "bytes=0-0", "If-Range": condition]
                    let status = try await it.get(RequestPath(stringLiteral: path), headers).response.status
                    #expect(status == (isPart ? .partialContent : .ok), "\(path) \(condition)")
                }
                #expect(it.sent == 3)
            },
            CacheRule("RFC 9110 13.2.2", .must, "judge conditions before the range") { it async throws in
                it.always(["ETag": "\"1\"", "Cache-Control": "max-age=60"])
                _ = try await it.get()
                let same = try await it.get("/x", ["If-None-Match": "\"1\"", "Range": "bytes=0-0"])
                #expect(same.response.status == .notModified)
                let other = try await it.get("/x", ["If-None-Match": "\"2\"", "Range": "bytes=0-0"])
                #expect(other.response.status == .partialContent && it.sent == 1)
            },
            CacheRule("RFC 9110 14.2", .must, "ignore a range with another unit or method, or with an error") {
                it async throws in
                it.always(fresh)
                _ = try await it.get()
                for range in ["items=0-0", "bytes", "bytes=", "bytes=1-0", "bytes=a-b", "0-0"] {
                    let whole = try await it.get("/x", ["Range": range])
                    #expect(whole.response.status == .ok && whole.text == "1", "\(range)")
                }
                #expect(try await it.get("/x", ["Range": "bytes=0-0"], method: .head).response.status == .ok)
                #expect(it.sent == 1)
            },
            CacheRule("RFC 9110 15.3.7", .must, "state which part it sends, with the fields of the whole response") {
                it async throws in
                let kept: HTTPHeaders = [
                    "Cache-Control": "max-age=60", "ETag": "\"1\"", "Expires": httpDate(9), "Content-Location": "/y",
                    "Vary": "X-A", "Date": httpDate(0),
                ]
                it.respond { _, _ in .text("0123456789", kept) }
                _ = try await it.get()
                let part = try await it.get("/x", ["Range": "bytes=-4"]).response
                #expect(part.status == .partialContent && it.sent == 1)
                #expect(part.headers["Content-Range"] == "bytes 6-9/10" && part.headers["Content-Length"] == "4")
                for field in kept { #expect(part.headers.values(of: field.name) == [field.value]) }
            },
            CacheRule("RFC 9110 15.4.5", .must, "give a 304 the fields of the whole response") {
                it async throws in
                let kept: HTTPHeaders = [
                    "Cache-Control": "max-age=60", "ETag": "\"1\"", "Expires": httpDate(9), "Content-Location": "/y",
                    "Vary": "X-A", "Date": httpDate(0),
                ]
                it.respond { _, _ in .text("body", kept) }
                _ = try await it.get()
                let same = try await it.get("/x", ["If-None-Match": "\"1\""]).response
                #expect(same.status == .notModified && it.sent == 1)
                for field in kept { #expect(same.headers.values(of: field.name) == [field.value]) }
            },
            CacheRule("RFC 9110 15.5.17", .should, "state the length of the whole if a range lies beyond it") {
                it async throws in
                it.respond { _, _ in .text("0123456789", fresh) }
                _ = try await it.get()
                for range in ["bytes=10-", "bytes=10-20", "bytes=-0"] {
                    let none = try await it.get("/x", ["Range": range]).response
                    #expect(none.status == 416 && none.headers["Content-Range"] == "bytes */10", "\(range)")
                }
                #expect(it.sent == 1)
            },
        ]
    }
}
