import Foundation
import NetKitTesting
import Testing

@testable import NetKit

private let fresh: HTTPHeaders = ["Cache-Control": "max-age=60"]

extension CacheRule {
    /// Section 3: the responses that are stored, and the stored parts of them.
    static var storing: [CacheRule] {
        [
            CacheRule("3", .mustNot, "store the response to a method that it does not understand") { it async throws in
                it.always(fresh)
                for method in ["FROBNICATE", "OPTIONS", "PUT"] { _ = try await it.get(method: HTTPMethod(method)) }
                #expect(try await it.get().text == "4")
            },
            CacheRule("3", .mustNot, "store a response that is not the final one") { _ in
                for code in [100, 102, 103, 199] {
                    #expect(CacheEngine.judge(.test(fresh, status: HTTPStatus(code))).response == nil)
                }
            },
            CacheRule("3", .mustNot, "store a part, or a confirmation, as a response") { it async throws in
                #expect(try await !it.reuses(fresh, status: 206))
                #expect(try await !it.reuses(fresh, status: 304))
            },
            CacheRule("3", .mustNot, "store a status it does not understand if the response has must-understand") {
                it async throws in
                #expect(try await !it.reuses(["Cache-Control": "must-understand, max-age=60"], status: 599))
                #expect(try await it.reuses(["Cache-Control": "must-understand, max-age=60"]))
            },
            CacheRule("3", .mustNot, "store a response with no-store") { it async throws in
                #expect(try await !it.reuses(["Cache-Control": "max-age=60, no-store"]))
            },
            CacheRule("3", .mustNot, "store a response if nothing allows it") { it async throws in
                #expect(try await !it.reuses([:]))
                #expect(try await !it.reuses(["Last-Modified": httpDate(-1000)], status: 403))
            },
            CacheRule("3", .may, "store what max-age, Expires, public or the status allows") { it async throws in
                #expect(try await it.reuses(fresh, status: 503))
                #expect(try await it.reuses(["Expires": httpDate(60)], status: 403))
                let open: HTTPHeaders = ["Cache-Control": "public", "Last-Modified": httpDate(-1000)]
                #expect(try await it.reuses(open, status: 403))
                #expect(try await it.reuses(["Last-Modified": httpDate(-1000)], status: 410))
            },
            CacheRule("3.1", .must, "store every field, including fields it does not know") { it async throws in
                let fields: HTTPHeaders = ["X-New": "1", "Set-Cookie": "a=1", "set-cookie": "b=2", "Vary": "x"]
                var headers = fresh
                for field in fields { headers.add(field.name, field.value) }
                it.always(headers)
                _ = try await it.get()
                let hit = try await it.get().response.headers
                for name in ["X-New", "Set-Cookie", "Vary"] { #expect(hit.values(of: name) == fields.values(of: name)) }
                #expect(it.sent == 1)
            },
            CacheRule("3.1", .mustNot, "store Connection and the fields that it names") { it async throws in
                it.always([
                    "Cache-Control": "max-age=60", "Connection": "close, X-Hop", "X-Hop": "1",
                    "Keep-Alive": "timeout=5",
                    "Proxy-Connection": "close", "TE": "x", "Upgrade": "x",
                ])
                _ = try await it.get()
                let hit = try await it.get().response.headers
                for name in ["Connection", "X-Hop", "Keep-Alive", "Proxy-Connection", "TE", "Upgrade"] {
                    #expect(!hit.contains(name))
                }
                #expect(it.sent == 1)
            },
            CacheRule("3.1", .may, "leave out fields for a proxy, or named by no-cache") { it async throws in
                it.always([
                    "Cache-Control": "max-age=60, no-cache=\"X-One\"", "X-One": "1", "Proxy-Authenticate": "Basic",
                    "Proxy-Authentication-Info": "x", "Proxy-Authorization": "x",
                ])
                _ = try await it.get()
                let hit = try await it.get().response.headers
                #expect(it.sent == 1 && !hit.contains("X-One") && !hit.contains("Proxy-Authenticate"))
                #expect(!hit.contains("Proxy-Authentication-Info") && !hit.contains("Proxy-Authorization"))
            },
            CacheRule("3.1", .mustNot, "turn trailer fields into header fields") { it async throws in
                let body = [Data("a".utf8), Data("b".utf8)]
                it.transport.stub(
                    .get,
                    "/x",
                    .stream(body, trailers: ["X-Sum": "1", "Cache-Control": "no-store"]).header(
                        "Cache-Control",
                        "max-age=60"
                    )
                )
                _ = try await it.get(isStreamed: true)
                let hit = try await it.get(isStreamed: true)
                #expect(it.sent == 1 && hit.text == "ab" && !hit.response.headers.contains("X-Sum"))
                #expect(hit.response.headers.values(of: "Cache-Control") == ["max-age=60"])
            },
            CacheRule("3.2", .must, "replace every stored field by the field of a newer response") {
                it async throws in
                it.confirming(
                    ["ETag": "\"1\"", "Cache-Control": "max-age=1", "X-Old": "1", "X-Both": "1"],
                    with: ["ETag": "\"1\"", "Cache-Control": "max-age=60", "X-Both": "2", "x-both": "3"]
                )
                _ = try await it.get()
                it.time.advance(by: .seconds(5))
                for _ in 0..<2 {
                    let headers = try await it.get().response.headers
                    #expect(headers["X-Old"] == "1" && headers.values(of: "X-Both") == ["2", "3"])
                    #expect(headers.values(of: "Cache-Control") == ["max-age=60"])
                }
                #expect(it.sent == 2)
            },
            CacheRule("3.2", .mustNot, "replace fields about the stored body, or add fields of the connection") {
                it async throws in
                it.confirming(
                    [
                        "ETag": "\"1\"", "Cache-Control": "max-age=1", "Content-Encoding": "x-own",
                        "Content-Length": "1",
                    ],
                    with: [
                        "ETag": "\"1\"", "Content-Encoding": "x-other", "Content-Length": "0",
                        "Content-Range": "bytes 0-0/9",
                        "Connection": "X-Hop", "X-Hop": "1",
                    ]
                )
                _ = try await it.get()
                it.time.advance(by: .seconds(5))
                let headers = try await it.get().response.headers
                #expect(headers.values(of: "Content-Encoding") == ["x-own"])
                #expect(headers.values(of: "Content-Length") == ["1"])
                #expect(!headers.contains("Content-Range") && !headers.contains("X-Hop"))
            },
            CacheRule("3.3", .mustNot, "use a body that was cut short") { it async throws in
                it.transport.stub(
                    .get,
                    "/x",
                    .stream([Data("ab".utf8)], failingWith: URLError(.networkConnectionLost))
                        .header("Cache-Control", "max-age=60"),
                    .text("abcd").header("Cache-Control", "max-age=60")
                )
                await #expect(throws: NetKitError.self) { try await it.get(isStreamed: true) }
                #expect(try await it.get().text == "abcd")
            },
            CacheRule("3.3", .mustNot, "respond with a part if the whole is requested") { it async throws in
                it.respond { number, request in
                    guard request.headers.contains("Range") else { return .text("whole", fresh) }
                    let part: HTTPHeaders = ["Cache-Control": "max-age=60", "Content-Range": "bytes 0-1/5"]
                    return .text("wh", part, status: 206)
                }
                #expect(try await it.get("/x", ["Range": "bytes=0-1"]).text == "wh")
                #expect(try await it.get().text == "whole")
            },
            CacheRule("3.4", .mustNot, "combine parts of different bodies") { it async throws in
                it.respond { number, request in
                    guard number > 1 else { return .text("01234", ["ETag": "\"1\"", "Cache-Control": "max-age=60"]) }
                    let part: HTTPHeaders = [
                        "ETag": "\"2\"", "Cache-Control": "max-age=60", "Content-Range": "bytes 1-2/5",
                    ]
                    return .text("XX", part, status: 206)
                }
                _ = try await it.get()
                let part = try await it.get("/x", ["Range": "bytes=1-2", "Cache-Control": "no-cache"])
                #expect(part.text == "XX" && part.response.status == .partialContent)
                #expect(try await it.get().text == "01234")
            },
            CacheRule("3.5", .may, "store the response to a credential, for that credential only") { it async throws in
                #expect(try await it.reuses(fresh, asking: ["Authorization": "a"]))
                #expect(try await !it.reuses(fresh, asking: ["Authorization": "a"], then: ["Authorization": "b"]))
                #expect(try await !it.reuses(fresh, asking: ["Authorization": "a"], then: [:]))
            },
        ]
    }
}
