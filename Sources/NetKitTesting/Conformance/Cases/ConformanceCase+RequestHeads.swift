import Foundation
import NetKit

extension ConformanceCase {
    static let requestHeadCases: [ConformanceCase] = [
        headCase("values", "Values arrive as they are.", ["X-A": "a b; c=\"d\", e", "X-B": "0", "X-C": "é %41"]),
        headCase("empty-value", "A field without a value arrives with an empty value.", ["X-Empty": "", "X-B": "b"]),
        Self(
            "request-head.blank-value",
            .requestHeads,
            "A field whose value is blank arrives with an empty value."
        ) { trial in
            let arrived = try await trial.arrival(of: HTTPRequest(.get, "/", headers: ["X-Blank": " ", "X-B": "b"]))
            let values = arrived.headers.values(of: "X-Blank").map { $0.trimmingCharacters(in: .whitespaces) }
            try expect("X-Blank", values, is: [""])
        },
        headCase(
            "repeated",
            "Fields of one name stay separate, in order.",
            ["X-R": "1", "X-Other": "o", "X-R": "2"],
            isOrderKept: true
        ),
        headCase(
            "order",
            "Fields arrive in the order in which they were set.",
            ["X-C": "1", "X-A": "2", "X-D": "3", "X-B": "4"],
            isOrderKept: true
        ),
        headCase("long", "A value of 8 KB arrives.", ["X-Long": String(repeating: "long ", count: 1600) + "."]),
        headCase("many", "A hundred fields arrive.", HTTPHeaders((0..<100).map { .init("X-Field-\($0)", "\($0)") })),
        Self("request-head.name-case", .requestHeads, "Names arrive as they are written.") { trial in
            let arrived = try await trial.arrival(
                of: HTTPRequest(.get, "/", headers: ["X-mIxEd": "1", "x-lower": "2"])
            )
            let names = arrived.headers.map(\.name).filter { $0.lowercased().hasPrefix("x-") }
            try expect("names", Set(names), is: ["X-mIxEd", "x-lower"])
        },
        Self(
            "request-head.own-values",
            .requestHeads,
            "The caller's fields replace the transport's, once and unchanged."
        ) { trial in
            let own: HTTPHeaders = [
                "Accept": "text/x", "User-Agent": "me/1", "Accept-Encoding": "identity", "Accept-Language": "tlh",
            ]
            let arrived = try await trial.arrival(of: HTTPRequest(.get, "/", headers: own))
            for field in own { try expect(field.name, arrived.headers.values(of: field.name), is: [field.value]) }
        },
        Self("request-head.host", .requestHeads, "Host is the authority of the URL, once.") { trial in
            let arrived = try await trial.arrival(of: HTTPRequest(.get, "/"))
            try expect("Host", arrived.headers.values(of: "Host"), is: ["127.0.0.1:\(trial.server.port)"])
        },
        Self(
            "request-head.nothing-added",
            .requestHeads,
            "The transport adds no cookie, credential, referrer or media type."
        ) { trial in
            let arrived = try await trial.arrival(of: HTTPRequest(.get, "/"))
            let usual = ["host", "accept", "accept-encoding", "accept-language", "user-agent", "connection", "te"]
            let added = arrived.headers.map { $0.name.lowercased() }.filter { !usual.contains($0) }
            try expect("other fields", added, is: [])
        },
    ]

    private static func headCase(
        _ name: String,
        _ promise: String,
        _ headers: HTTPHeaders,
        isOrderKept: Bool = false
    ) -> ConformanceCase {
        Self("request-head.\(name)", .requestHeads, promise) { trial in
            let arrived = try await trial.arrival(of: HTTPRequest(.get, "/", headers: headers))
            let seen = arrived.headers.fields.filter { $0.name.lowercased().hasPrefix("x-") }
            if isOrderKept {
                let lines = seen.map { "\($0.name): \($0.value)".lowercased() }
                try expect("fields", lines, is: headers.map { "\($0.name): \($0.value)".lowercased() })
            }
            for field in headers {
                try expect(field.name, arrived.headers.values(of: field.name), is: headers.values(of: field.name))
            }
        }
    }

    static let targetCases: [ConformanceCase] = [
        targetCase("encoded-slash", "An encoded slash stays encoded.", "/a%2Fb"),
        targetCase("lower-case-escapes", "Escapes stay as they are written.", "/%c3%a9%7e"),
        targetCase("reserved", "Characters that need no escape get none.", "/~a!$&'()*,;=:@-._"),
        targetCase("double-slash", "Empty segments stay.", "/a//b/"),
        targetCase("dot-segments", "Dot segments are not resolved.", "/a/../b/./c"),
        targetCase("query", "A query arrives as it is.", "/q?a=1&b=%20%2B+c;d/e?f&&g=%C3%A9"),
        targetCase("empty-query", "A question mark without a query is kept.", "/q?"),
        targetCase("long", "A target of 8 KB arrives.", "/long?" + String(repeating: "0123456789", count: 800)),
        targetCase("root", "A URL without a path asks for the root.", "", arrives: "/"),
        targetCase("root-query", "A URL with a query and no path asks for the root.", "?a=1", arrives: "/?a=1"),
        targetCase("fragment", "A fragment is not sent.", "/f?a#part", arrives: "/f?a"),
    ]

    private static func targetCase(
        _ name: String,
        _ promise: String,
        _ target: String,
        arrives expected: String? = nil
    ) -> ConformanceCase {
        Self("target.\(name)", .requestHeads, promise) { trial in
            trial.server.on(nil, "/", .text("seen"))
            let text = "http://127.0.0.1:\(trial.server.port)\(target)"
            guard let url = URL(string: text), url.absoluteString == text else {
                throw ConformanceFailure.notPossible("Foundation does not make a URL of \(text)")
            }
            let arrived = try await trial.arrival(of: HTTPRequest(.get, url))
            try expect("target", arrived.target, is: expected ?? target)
        }
    }
}
