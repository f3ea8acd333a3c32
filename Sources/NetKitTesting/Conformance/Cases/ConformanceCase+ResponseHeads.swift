import Foundation
import NetKit

extension ConformanceCase {
    static let responseHeadCases: [ConformanceCase] = [
        headersCase(
            "repeated",
            "Fields of one name stay separate, in order.",
            ["Set-Cookie": "a=1; Expires=Sat, 01 Jan 2050 00:00:00 GMT", "X-Other": "o", "Set-Cookie": "b=2"]
        ),
        headersCase(
            "order",
            "Fields are delivered in the order in which they were received.",
            ["X-C": "1", "X-A": "2", "X-D": "3", "X-B": "4"],
            isOrderKept: true
        ),
        headersCase(
            "name-case",
            "Names are delivered as they were received.",
            ["X-mIxEd": "1", "x-lower": "2", "ETAG": "\"3\""],
            isCaseKept: true
        ),
        headersCase("empty-value", "A field without a value is handed out as one.", ["X-Empty": "", "X-B": "b"]),
        headersCase(
            "long",
            "A value of 32 KB is delivered.",
            ["X-Long": String(repeating: "long ", count: 6553) + "."]
        ),
        headersCase(
            "many",
            "Two hundred fields are delivered.",
            HTTPHeaders((0..<200).map { .init("X-\($0)", "\($0)") })
        ),
        headersCase(
            "colons",
            "A value may contain colons.",
            ["X-Colons": "a:b: c", "Link": "<http://x/y>; rel=next"]
        ),
        Self("response-head.whitespace", .responseHeads, "Whitespace around a value is not part of it.") { trial in
            let reply = ServerReply.text("hello").rawHeaderLine("X-A:\t  b c \t").rawHeaderLine("X-B:d")
            let response = try await trial.receive(reply)
            try expect("X-A", response.headers.values(of: "X-A"), is: ["b c"])
            try expect("X-B", response.headers.values(of: "X-B"), is: ["d"])
        },
        toleratedCase(
            "not-utf8",
            "A value that is not UTF-8 does not affect other fields.",
            Data([0x58, 0x2D, 0x4E, 0x3A, 0x20, 0xFF, 0xE9, 0x80])
        ),
        toleratedCase("folded", "A folded line harms nothing else.", Data("X-Folded: one\r\n two".utf8)),
        Self(
            "response-head.lf-only",
            .responseHeads,
            "A head whose lines end with LF alone is accepted, or rejected with `.invalidResponse`.",
            isRisky: true
        ) { trial in
            do {
                try await expect(trial.receive(.text("hello").lineEnding(.lf).connectionClose()), 200, "hello")
            } catch NetKitError.Code.invalidResponse {}
        },
        Self(
            "response-head.cr-only",
            .responseHeads,
            "A head whose lines end with CR alone fails the call.",
            isRisky: true
        ) { trial in
            try await trial.failure(.invalidResponse, .connectionLost, outcome: .unknown, .answered) {
                try await trial.receive(.text("hello").lineEnding(.cr).connectionClose())
            }
        },
        Self(
            "response-head.no-colon",
            .responseHeads,
            "A header line without a colon is ignored, or rejected with `.invalidResponse`.",
            isRisky: true
        ) { trial in
            do {
                try await expect(trial.receive(.text("hello").rawHeaderLine("no field at all")), 200, "hello")
            } catch NetKitError.Code.invalidResponse {}
        },
        endlessCase("endless-line", "A header line without end fails the call.", .endlessHeaderLine),
        endlessCase("endless-lines", "Header lines without end fail the call.", .endlessHeaders),
    ]

    private static func headersCase(
        _ name: String,
        _ promise: String,
        _ headers: HTTPHeaders,
        isOrderKept: Bool = false,
        isCaseKept: Bool = false
    ) -> ConformanceCase {
        Self("response-head.\(name)", .responseHeads, promise) { trial in
            let reply = headers.reduce(ServerReply.text("hello")) { $0.header($1.name, $1.value) }
            let response = try await trial.receive(reply)
            func lines(_ fields: HTTPHeaders) -> [String] {
                fields.filter { headers.contains($0.name) }.map { "\($0.name): \($0.value)" }
            }
            if isOrderKept {
                let seen = lines(response.headers).map { $0.lowercased() }
                try expect("fields", seen, is: lines(headers).map { $0.lowercased() })
            } else if isCaseKept {
                try expect("fields", lines(response.headers).sorted(), is: lines(headers).sorted())
            }
            for field in headers {
                try expect(field.name, response.headers.values(of: field.name), is: headers.values(of: field.name))
            }
            try await expect(response, 200, "hello")
        }
    }

    private static func toleratedCase(_ name: String, _ promise: String, _ line: Data) -> ConformanceCase {
        Self("response-head.\(name)", .responseHeads, promise, isRisky: true) { trial in
            let response = try await trial.receive(.text("hello").rawHeaderLine(line).header("X-Behind", "b"))
            try expect("X-Behind", response.headers.values(of: "X-Behind"), is: ["b"])
            try await expect(response, 200, "hello")
        }
    }

    private static func endlessCase(_ name: String, _ promise: String, _ reply: ServerReply) -> ConformanceCase {
        Self("response-head.\(name)", .responseHeads, promise, isRisky: true) { trial in
            try await trial.failure(.invalidResponse, outcome: .unknown, .answered) { try await trial.receive(reply) }
            await trial.server.waitForOpenConnections(0)
            let sent = trial.server.sentByteCount
            try expect("an end within 64 MB", sent < 64 << 20, seen: "\(sent) bytes")
        }
    }
}
