import Foundation
import NetKitTesting
import Testing

@testable import NetKit

private let fresh: HTTPHeaders = ["Cache-Control": "max-age=60"]

extension CacheRule {
    /// Sections 4, 4.1 and 4.4: the stored response to use, and those to remove.
    static var choosing: [CacheRule] {
        [
            CacheRule("4", .mustNot, "use the response of another URL") { it async throws in
                it.always(fresh)
                _ = try await it.get("/x")
                for path in ["/X", "/x/", "/x?a", "/x?b", "/"] {
                    let before = it.sent
                    _ = try await it.get(RequestPath(stringLiteral: path))
                    #expect(it.sent == before + 1, "\(path)")
                }
                #expect(try await it.get("/x").text == "1")
            },
            CacheRule("4", .mustNot, "use a response for a method that it is not for") { it async throws in
                it.always(fresh)
                _ = try await it.get()
                #expect(try await it.get(method: .options).text == "2")
                #expect(try await it.get(method: HTTPMethod("PROPFIND")).text == "3")
            },
            CacheRule("4", .mustNot, "use a response with no-cache without revalidation") { it async throws in
                it.confirming(["ETag": "\"1\"", "Cache-Control": "no-cache, max-age=60"])
                for sent in 1...3 {
                    #expect(try await it.get().text == "1")
                    #expect(it.sent == sent)
                }
            },
            CacheRule("4", .mustNot, "use a stale response without revalidation") { it async throws in
                #expect(try await it.reuses(fresh, after: 59))
                #expect(try await !it.reuses(fresh, after: 60))
            },
            CacheRule("4", .must, "replace Age by the age of the response that it uses") { it async throws in
                it.always(["Cache-Control": "max-age=60", "Age": "5"])
                _ = try await it.get()
                it.time.advance(by: .seconds(10))
                #expect(try await it.get().response.headers.values(of: "Age") == ["15"])
            },
            CacheRule("4", .must, "send an unsafe request to the server before it responds") { it async throws in
                it.always(fresh)
                _ = try await it.get()
                for (method, text) in [(HTTPMethod.post, "2"), (.put, "3"), (.patch, "4"), (.delete, "5")] {
                    #expect(try await it.get(method: method).text == text)
                }
            },
            CacheRule("4", .must, "use the latest response, by Date, if several match") { it async throws in
                for isFirstNewer in [true, false] {
                    let path = RequestPath(stringLiteral: "/newest-\(isFirstNewer)")
                    it.respond { number, request in
                        let isFirst = request.headers["X-A"] == "a"
                        return .text(
                            isFirst ? "first" : "second",
                            [
                                "Cache-Control": "max-age=600", "Vary": isFirst ? "X-A" : "X-B",
                                "Date": httpDate(isFirst == isFirstNewer ? -10 : -50),
                            ]
                        )
                    }
                    _ = try await it.get(path, ["X-A": "a", "X-B": "b"])
                    _ = try await it.get(path, ["X-A": "z", "X-B": "b"])
                    let newest = try await it.get(path, ["X-A": "a", "X-B": "b"])
                    #expect(newest.text == (isFirstNewer ? "first" : "second"))
                }
                #expect(it.sent == 4)
            },
            CacheRule("4.1", .mustNot, "use a response if the fields in Vary have other values") {
                it async throws in
                let headers: HTTPHeaders = ["Cache-Control": "max-age=60", "Vary": "X-A, x-b"]
                #expect(try await it.reuses(headers, asking: ["X-A": "1", "X-B": "2", "X-C": "3"]))
                #expect(
                    try await it.reuses(headers, asking: ["X-A": "1", "X-C": "3"], then: ["x-a": "1", "X-C": "4"])
                )
                #expect(
                    try await !it.reuses(headers, asking: ["X-A": "1", "X-B": "2"], then: ["X-A": "1", "X-B": "3"])
                )
                #expect(try await !it.reuses(headers, asking: ["X-A": "1", "X-B": "2"], then: ["X-A": "1"]))
                #expect(try await !it.reuses(headers, asking: ["X-A": "1"], then: ["X-A": "1", "X-B": ""]))
            },
            CacheRule("4.1", .mustNot, "use a response with Vary: *") { it async throws in
                #expect(try await !it.reuses(["Cache-Control": "max-age=60", "Vary": "*"]))
                #expect(try await !it.reuses(["Cache-Control": "max-age=60", "Vary": "X-A, *"]))
                #expect(try await !it.reuses(["Cache-Control": "max-age=60", "Vary": "X-A", "vary": "*"]))
            },
            CacheRule("4.1", .may, "ignore blanks between members, and the order of accepted languages") {
                it async throws in
                let headers: HTTPHeaders = ["Cache-Control": "max-age=60", "Vary": "X-A, Accept-Language"]
                #expect(try await it.reuses(headers, asking: ["X-A": "1,2"], then: ["X-A": " 1 , 2"]))
                #expect(try await !it.reuses(headers, asking: ["X-A": "1,2"], then: ["X-A": "2,1"]))
                let (one, other) = (
                    ["Accept-Language": "en, de"] as HTTPHeaders, ["Accept-Language": "DE,en"] as HTTPHeaders
                )
                #expect(try await it.reuses(headers, asking: one, then: other))
            },
            CacheRule("4.4", .must, "forget the response of a URL that an unsafe or unknown method changed") {
                it async throws in
                it.always(fresh)
                for method in ["POST", "PUT", "DELETE", "PATCH", "FROBNICATE"] {
                    let first = try await it.get().text
                    _ = try await it.get(method: HTTPMethod(method))
                    #expect(try await it.get().text != first, "\(method)")
                }
            },
            CacheRule("4.4", .may, "forget the URLs of its origin that Location and Content-Location name") {
                it async throws in
                it.respond { number, request in
                    let names: HTTPHeaders = ["Location": "/v1/a", "Content-Location": "b"]
                    return .text("\(number)", request.method == .get ? fresh : names)
                }
                for path in ["/a", "/b", "/c"] { _ = try await it.get(RequestPath(stringLiteral: path)) }
                _ = try await it.get("/x", method: .post)
                for (path, text) in [("/a", "5"), ("/b", "6"), ("/c", "3")] {
                    #expect(try await it.get(RequestPath(stringLiteral: path)).text == text)
                }
            },
            CacheRule("4.4", .mustNot, "forget responses of another origin, or after an error") { it async throws in
                let other = try #require(URL(string: "https://other.example/a"))
                it.respond { number, request in
                    guard request.method != .get else { return .text("\(number)", fresh) }
                    let names: HTTPHeaders = [
                        "Location": other.absoluteString, "Content-Location": "//other.example/a",
                    ]
                    return .text("", names, status: request.method == .put ? 201 : 400)
                }
                let first = try await it.client.send(HTTPRequest(.get, other)).body.text(upTo: 10)
                _ = try await it.get("/x", method: .put)
                #expect(try await it.client.send(HTTPRequest(.get, other)).body.text(upTo: 10) == first)
                let kept = try await it.get("/y").text
                _ = try await it.get("/y", method: .delete)
                #expect(try await it.get("/y").text == kept)
            },
        ]
    }
}
