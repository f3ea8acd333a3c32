import Foundation
import NetKit

extension ConformanceCase {
    static let brokenResponseCases: [ConformanceCase] = [
        cutCase(
            "content-length",
            "A body shorter than its length",
            ServerReply.text("hello").bodyCutShort(by: 2),
            .connectionLost
        ),
        cutCase(
            "chunked",
            "A chunked body without its end",
            ServerReply.chunked([hello, hello]).bodyCutShort(by: 5),
            .connectionLost
        ),
        cutCase(
            "last-chunk",
            "A chunked body without its last chunk",
            ServerReply.chunked([hello]).closing(at: .inBody(after: 10)),
            .connectionLost
        ),
        cutCase(
            "reset",
            "A body that is cut off by a reset",
            ServerReply.text("hello").resetting(at: .inBody(after: 2)),
            .connectionLost
        ),
        cutCase("bad-chunk", "A chunk whose size is no number", .badChunk(), .invalidResponse),
        headlessCase("garbage", "A response that is not HTTP", .garbage, .invalidResponse),
        headlessCase("http09", "A body without a head", .http09("<p>hello"), .invalidResponse),
        headlessCase(
            "bad-status",
            "A status that is not a number",
            ServerReply.text("hello").statusLine("HTTP/1.1 abc OK").connectionClose(),
            .invalidResponse
        ),
        headlessCase("closed-at-once", "A close instead of a response", .text("hello").closing(at: .start)),
        headlessCase("closed-in-status-line", "A close in the status line", .text("hello").closing(at: .inStatusLine)),
        headlessCase("closed-in-header", "A close in the header", .text("hello").closing(at: .inHeaders)),
        headlessCase("reset-at-once", "A reset instead of a response", .text("hello").resetting(at: .start)),
        headlessCase("reset-in-status-line", "A reset in the status line", .text("hello").resetting(at: .inStatusLine)),
        headlessCase("reset-in-header", "A reset in the header", .text("hello").resetting(at: .inHeaders)),
        headlessCase(
            "closed-behind-100",
            "A close after 100 Continue",
            .raw("HTTP/1.1 100 Continue\r\n\r\n").closing(at: .end)
        ),
        lengthCase("conflicting-lengths", "A second length that differs", "Content-Length: 5\r\nContent-Length: 2"),
        lengthCase("negative-length", "A negative length", "Content-Length: -5"),
        lengthCase("bad-length", "A length that is no number", "Content-Length: five"),
        Self(
            "broken.not-used-again",
            .brokenResponses,
            "A connection whose response broke off is not reused.",
            isRisky: true
        ) { trial in
            trial.server.on(.get, "/next", .text("next"))
            for reply in [ServerReply.text("hello").bodyCutShort(by: 2), .badChunk(), .garbage] {
                try await trial.failure { try await trial.receive(reply) }
                try await expect(trial.get("/next"), 200, "next")
            }
        },
    ]

    /// Returns a case for a body that breaks off, buffered and streamed.
    private static func cutCase(_ name: String, _ what: String, _ reply: ServerReply, _ code: NetKitError.Code)
        -> ConformanceCase
    {
        Self(
            "truncated.\(name)",
            .brokenResponses,
            "\(what) is an error with the outcome `.answered`, and never a short success.",
            isRisky: true
        ) { trial in
            for delivery in [ConformanceTrial.ample, .streamed] {
                let error = try await trial.failure(outcome: .answered) {
                    let response = try await trial.receive(reply, delivery: delivery)
                    return try await response.body.collect(upTo: 1 << 20)
                }
                try expect("code, \(delivery)", error.code, is: code)
            }
        }
    }

    /// Returns a case for a response with an incomplete head.
    private static func headlessCase(
        _ name: String,
        _ what: String,
        _ reply: ServerReply,
        _ code: NetKitError.Code = .connectionLost
    ) -> ConformanceCase {
        Self("broken.\(name)", .brokenResponses, "\(what) is `.\(code)`.", isRisky: true) { trial in
            for delivery in [ConformanceTrial.ample, .streamed] {
                try await trial.failure(code, outcome: .unknown, .answered) {
                    try await trial.receive(reply, delivery: delivery)
                }
            }
        }
    }

    private static func lengthCase(_ name: String, _ what: String, _ lines: String) -> ConformanceCase {
        Self("broken.\(name)", .brokenResponses, "\(what) is `.invalidResponse`.", isRisky: true) { trial in
            try await trial.failure(.invalidResponse, outcome: .unknown, .answered) {
                let head = "HTTP/1.1 200 OK\r\nConnection: close\r\n\(lines)\r\n\r\n"
                let reply = ServerReply.raw(head + "hello").closing(at: .end)
                return try await trial.receive(reply)
            }
        }
    }
}
