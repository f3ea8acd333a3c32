import Foundation
import Testing

@testable import NetKit

struct URLBuilderTests {
    private func base(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test func addsPathsAndQuery() throws {
        let id = "a/../b"
        let url = try URLBuilder(base: base("https://api.com"))
            .adding(path: "/v1").adding(path: "users/\(id)").adding(query: [URLQueryItem(name: "q", value: "x y")])
            .adding(query: ["page": 2]).build()
        #expect(url.absoluteString == "https://api.com/v1/users/a%2F..%2Fb?q=x%20y&page=2")
        #expect(
            try URLBuilder(base: base("https://api.com")).adding(path: "/v1").build().absoluteString
                == "https://api.com/v1"
        )
        #expect(
            try URLBuilder(base: "https://api.com/?k=1").adding(path: "x").build().absoluteString
                == "https://api.com/x?k=1"
        )
    }

    /// Exactly one slash between the base and the path, whatever either ends or begins with.
    @Test(arguments: ["https://a.example", "https://a.example/v1"])
    func joinsEveryCombinationOfSlashes(_ start: String) throws {
        for baseEnd in ["", "/", "//"] {
            for pathStart in ["", "/", "//"] {
                for pathEnd in ["", "/", "//"] {
                    for secondStart in ["", "/", "//"] {
                        let url = try URLBuilder(base: base(start + baseEnd))
                            .adding(path: RequestPath(raw: "\(pathStart)a\(pathEnd)"))
                            .adding(path: RequestPath(raw: "\(secondStart)b"))
                            .build()
                        #expect(url.absoluteString == "\(start)/a/b")
                        let client = try HTTPRequest(.get, RequestPath(raw: "\(pathStart)a\(pathEnd)"))
                            .resolved(against: BaseURL(base(start + baseEnd))).url
                        #expect(client.absoluteString == "\(start)/a\(pathEnd)")
                    }
                }
            }
        }
    }

    @Test func anEmptyPathChangesNothing() throws {
        #expect(try URLBuilder(base: base("https://a.example/v1/")).build().absoluteString == "https://a.example/v1/")
        #expect(
            try URLBuilder(base: base("https://a.example/v1")).adding(path: "").build().absoluteString
                == "https://a.example/v1"
        )
    }

    @Test func aURLThatCannotBeBuiltSaysWhy() throws {
        let climbing = ".."
        let problems: [(URLBuilder, NetKitError.Code)] = [
            (URLBuilder(base: "http://[::1"), .invalidURL), (URLBuilder(base: "/v1"), .invalidURL),
            (URLBuilder(base: "https://a.example").adding(path: "/x/\(climbing)"), .invalidURL),
            (URLBuilder(base: "https://a.example").adding(path: "https://b.example/x"), .invalidURL),
            (URLBuilder(base: "https://a.example").adding(query: ["n": Double.nan]), .encoding),
        ]
        for (builder, code) in problems {
            let error = #expect(throws: NetKitError.self) { try builder.build() }
            #expect(error?.code == code)
        }
    }
}
