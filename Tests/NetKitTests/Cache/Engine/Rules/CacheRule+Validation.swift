import Foundation
import NetKitTesting
import Testing

@testable import NetKit

extension CacheRule {
    /// Section 4.3: validation of a stored response.
    static var validation: [CacheRule] {
        [
            CacheRule("4.3.1", .must, "send the entity tag of the stored response") { it async throws in
                for tag in ["\"1\"", "W/\"1\"", "\"a,b\""] {
                    let path = RequestPath(stringLiteral: "/tag-\(it.sent)")
                    it.confirming(["ETag": tag, "Cache-Control": "max-age=1"])
                    _ = try await it.get(path)
                    it.time.advance(by: .seconds(2))
                    _ = try await it.get(path)
                    #expect(it.transport.requests.last?.headers.values(of: "If-None-Match") == [tag])
                }
            },
            CacheRule("4.3.1", .should, "send the time of the last change as well") { it async throws in
                it.confirming(["Last-Modified": httpDate(-50), "Cache-Control": "max-age=1"])
                _ = try await it.get()
                it.time.advance(by: .seconds(2))
                #expect(try await it.get().text == "1")
                #expect(it.transport.requests.last?.headers.values(of: "If-Modified-Since") == [httpDate(-50)])
                #expect(it.transport.requests.last?.headers["If-None-Match"] == nil)
            },
            CacheRule("4.3.1", .mustNot, "revalidate a response without a validator") { it async throws in
                #expect(try await !it.reuses(["Cache-Control": "max-age=1"], after: 2))
                let headers = try #require(it.transport.requests.last?.headers)
                #expect(!headers.contains("If-None-Match") && !headers.contains("If-Modified-Since"))
            },
            CacheRule("4.3.2", .mustNot, "judge conditions that only the server can judge") { it async throws in
                it.always(["ETag": "\"1\"", "Last-Modified": httpDate(-50), "Cache-Control": "max-age=60"])
                _ = try await it.get()
                #expect(try await it.get("/x", ["If-Match": "\"1\""]).text == "2")
                #expect(try await it.get("/x", ["If-Unmodified-Since": httpDate(0)]).text == "3")
                #expect(it.transport.requests.last?.headers["If-Unmodified-Since"] == httpDate(0))
            },
            CacheRule("4.3.2", .must, "evaluate only If-None-Match if there is one") { it async throws in
                it.always(["ETag": "\"1\"", "Last-Modified": httpDate(-50), "Cache-Control": "max-age=60"])
                _ = try await it.get()
                let since = httpDate(0)
                let other = try await it.get("/x", ["If-None-Match": "\"2\"", "If-Modified-Since": since])
                #expect(other.response.status == .ok && other.text == "1")
                let same = try await it.get("/x", ["If-None-Match": "\"1\"", "If-Modified-Since": httpDate(-999)])
                #expect(same.response.status == .notModified && same.text.isEmpty && it.sent == 1)
            },
            CacheRule(
                "4.3.2",
                .should,
                "respond with 304 if one of the tags weakly matches the stored response"
            ) { it async throws in
                it.always(["ETag": "\"1\"", "Cache-Control": "max-age=60"])
                _ = try await it.get()
                for list in ["\"1\"", "W/\"1\"", "\"0\", \"1\"", "\"0\" , W/\"1\"", "*"] {
                    #expect(try await it.get("/x", ["If-None-Match": list]).response.status == .notModified, "\(list)")
                }
                for list in ["\"0\"", "1", "\"1", "\"0, 1\""] {
                    #expect(try await it.get("/x", ["If-None-Match": list]).text == "1", "\(list)")
                }
                #expect(it.sent == 1)
            },
            CacheRule("4.3.2", .must, "compare If-Modified-Since with Last-Modified, or else with Date") {
                it async throws in
                it.always(["Last-Modified": httpDate(-50), "Cache-Control": "max-age=60"])
                _ = try await it.get("/a")
                it.always(["Date": httpDate(-5), "Cache-Control": "max-age=60"])
                _ = try await it.get("/b")
                for (path, seconds, isSame) in [
                    ("/a", -50.0, true), ("/a", -51, false), ("/b", -5, true), ("/b", -6, false), ("/b", 9, true),
                ] {
                    let path = RequestPath(stringLiteral: path)
                    let status = try await it.get(path, ["If-Modified-Since": httpDate(seconds)]).response.status
                    #expect(status == (isSame ? .notModified : .ok), "\(path.encoded) \(seconds)")
                }
                #expect(try await it.get("/a", ["If-Modified-Since": "yesterday"]).response.status == .ok)
                #expect(it.sent == 2)
            },
            CacheRule("4.3.2", .must, "leave the caller's conditions unchanged if it has to revalidate") {
                it async throws in
                it.always(["ETag": "\"1\"", "Cache-Control": "max-age=1"])
                _ = try await it.get()
                it.time.advance(by: .seconds(2))
                _ = try await it.get("/x", ["If-None-Match": "\"mine\""])
                #expect(it.transport.requests.last?.headers.values(of: "If-None-Match") == ["\"mine\""])
            },
            CacheRule("4.3.3", .must, "use the stored response after a 304, and the new one after any other success") {
                it async throws in
                it.transport.stub(
                    .get,
                    "/x",
                    .text("1").header("ETag", "\"1\"").header("Cache-Control", "max-age=1"),
                    .status(304).header("Cache-Control", "max-age=1"),
                    .text("2").header("ETag", "\"2\"").header("Cache-Control", "max-age=60")
                )
                for text in ["1", "1", "2", "2"] {
                    #expect(try await it.get().text == text)
                    it.time.advance(by: .seconds(2))
                }
                #expect(it.sent == 3)
            },
            CacheRule("4.3.3", .may, "pass on a server's failure, and keep the stored response") { it async throws in
                it.transport.stub(
                    .get,
                    "/x",
                    .text("1").header("ETag", "\"1\"").header("Cache-Control", "max-age=1"),
                    .status(503),
                    .status(304)
                )
                _ = try await it.get()
                it.time.advance(by: .seconds(2))
                #expect(try await it.get().response.status == .serviceUnavailable)
                #expect(try await it.get().text == "1")
            },
            CacheRule("5.2.2.5", .mustNot, "keep a response if a 304 forbids it") { it async throws in
                let newer: HTTPHeaders = ["Cache-Control": "no-store, max-age=60"]
                let stored: HTTPHeaders = ["ETag": "\"1\"", "Cache-Control": "max-age=1"]
                it.confirming(stored, with: newer)
                _ = try await it.get()
                it.time.advance(by: .seconds(2))
                #expect(try await it.get().text == "1")
                #expect(try await it.get().text == "3")
            },
            CacheRule("5.2.2.5", .mustNot, "keep a response if the response to a HEAD forbids it") { it async throws in
                it.respond { number, request in
                    .text("\(number)", ["Cache-Control": request.method == .head ? "no-store" : "max-age=60"])
                }
                _ = try await it.get()
                _ = try await it.get(method: .head, policy: .reload)
                #expect(try await it.get().text == "3")
            },
            CacheRule("4.1", .mustNot, "use a response for other requests if a 304 adds a Vary that they do not match")
            {
                it async throws in
                for vary in ["Accept-Language", "*"] {
                    let stored: HTTPHeaders = ["ETag": "\"1\"", "Cache-Control": "max-age=1"]
                    it.confirming(stored, with: ["Vary": vary, "Cache-Control": "max-age=60"])
                    let path: RequestPath = "/\(vary.utf8.count)"
                    let first = try await it.get(path, ["Accept-Language": "es"]).text
                    it.time.advance(by: .seconds(2))
                    #expect(try await it.get(path, ["Accept-Language": "es"]).text == first)
                    #expect(try await it.get(path, ["Accept-Language": "en"]).text != first)
                }
            },
            CacheRule("4.3.4", .mustNot, "renew a response that has another strong validator") { it async throws in
                it.respond { number, request in
                    if request.headers.contains("If-None-Match") { return .text("", ["ETag": "\"2\""], status: 304) }
                    return .text("\(number)", ["ETag": "\"1\"", "Cache-Control": "max-age=1"])
                }
                _ = try await it.get()
                it.time.advance(by: .seconds(2))
                #expect(try await it.get().text == "3")
            },
            CacheRule("4.3.4", .must, "renew only the response that a weak validator identifies") { _ in
                func isRenewed(_ stored: HTTPHeaders, _ newer: HTTPHeaders) -> Bool {
                    CacheEngine.confirm(
                        .test(stored),
                        by: CacheEngine.Renewal(headers: newer, requestDate: cacheStart, responseDate: cacheStart)
                    ) != nil
                }
                let (one, two) = (httpDate(-50), httpDate(-40))
                #expect(isRenewed(["ETag": "W/\"1\""], ["ETag": "W/\"1\""]))
                #expect(!isRenewed(["ETag": "W/\"1\""], ["ETag": "W/\"2\""]))
                #expect(isRenewed(["Last-Modified": one], ["Last-Modified": one]))
                #expect(!isRenewed(["Last-Modified": one], ["Last-Modified": two]))
                #expect(!isRenewed(["Last-Modified": one], ["Last-Modified": two, "ETag": "W/\"1\""]))
                #expect(isRenewed(["ETag": "\"1\"", "Last-Modified": one], ["ETag": "\"1\"", "Last-Modified": two]))
                #expect(isRenewed(["Last-Modified": one], [:]))
            },
            CacheRule("4.3.5", .should, "renew a response by a HEAD that agrees with it") { it async throws in
                it.respond { number, request in
                    let headers: HTTPHeaders = ["ETag": "\"1\"", "Cache-Control": "max-age=10", "X": "\(number)"]
                    return .text(request.method == .head ? "" : "body", headers)
                }
                _ = try await it.get()
                it.time.advance(by: .seconds(20))
                _ = try await it.get(method: .head)
                let renewed = try await it.get()
                #expect(renewed.text == "body" && renewed.response.headers["X"] == "2" && it.sent == 2)
            },
            CacheRule("4.3.5", .mustNot, "renew a response by a HEAD of another status") { _ in
                for status in [404, 410] as [HTTPStatus] {
                    let it = CachedClient()
                    it.respond { number, request in
                        if request.method == .head { return .text("", ["Cache-Control": "max-age=3600"]) }
                        return .text("\(number)", ["Cache-Control": "max-age=10"], status: status)
                    }
                    _ = try await it.get()
                    it.time.advance(by: .seconds(20))
                    _ = try await it.get(method: .head)
                    #expect(try await it.get().text == "3", "\(status)")
                }
            },
            CacheRule("4.3.5", .should, "treat a response as stale if a HEAD contradicts it") { _ in
                for newer in [["ETag": "\"2\""], ["Last-Modified": httpDate(0)], ["Content-Length": "9"]]
                    as [HTTPHeaders]
                {
                    for stored in [["ETag": "\"1\"", "Last-Modified": httpDate(-9), "Content-Length": "4"], [:]]
                        as [HTTPHeaders]
                    {
                        // A length that the stored response never had means nothing.
                        if stored.isEmpty, newer.contains("Content-Length") { continue }
                        let it = CachedClient()
                        it.respond { number, request in
                            var headers = request.method == .head ? newer : stored
                            headers["Cache-Control"] = "max-age=10"
                            return .text(request.method == .head ? "" : "body", headers)
                        }
                        _ = try await it.get()
                        _ = try await it.get("/x", ["Cache-Control": "no-cache"], method: .head)
                        _ = try await it.get()
                        #expect(it.sent == 3, "\(newer) \(stored)")
                    }
                }
            },
        ]
    }
}
