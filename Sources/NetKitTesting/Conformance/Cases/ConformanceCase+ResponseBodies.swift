import Foundation
import NetKit

extension ConformanceCase {
    static let responseBodyCases: [ConformanceCase] = [
        contentCase("every-byte", "Every value of a byte is handed out.", .data(pattern(512)), pattern(512)),
        contentCase(
            "chunked",
            "A chunked body is delivered without its framing.",
            .chunked(pieces(of: hello, 2)),
            hello
        ),
        contentCase(
            "chunked-bytes",
            "Chunks may have a single byte.",
            .chunked(pieces(of: pattern(2000), 1)),
            pattern(2000)
        ),
        contentCase("chunked-empty", "A chunked body may be empty.", .chunked([]), Data()),
        contentCase(
            "chunk-extensions",
            "Chunk extensions are not content.",
            .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=\"b;c\"\r\nhello\r\n0;last\r\n\r\n"),
            hello
        ),
        contentCase(
            "chunked-with-length",
            "A chunked body takes precedence over a `Content-Length`.",
            .raw(
                "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
                    + "5\r\nhello\r\n0\r\n\r\n"
            ).closing(at: .end),
            hello
        ),
        contentCase("until-close", "A body without a length ends with the connection.", .untilClose(hello), hello),
        contentCase("dripping", "A body may come byte by byte.", .data(hello).dripping(bytesPerSecond: 1000), hello),
        Self("trailers.harmless", .responseBodies, "Trailer fields do not harm the body.", isRisky: true) { trial in
            for delivery in [ConformanceTrial.ample, .streamed] {
                let reply = ServerReply.chunked([hello], trailers: ["X-Sum": "1", "X-Other": "2"])
                try await expect(trial.receive(reply, delivery: delivery), 200, "hello")
            }
        },
        Self("trailers.delivered", .responseBodies, "Trailer fields are delivered.", isRisky: true) { trial in
            for delivery in [ConformanceTrial.ample, .streamed] {
                let reply = ServerReply.chunked([hello], trailers: ["X-Sum": "1", "X-Other": "2"])
                let response = try await trial.receive(reply, delivery: delivery)
                try await expect(response, 200, "hello")
                let sums = response.trailers?.values(of: "X-Sum")
                try expect("trailer X-Sum", sums, is: ["1"])
                try expect("header X-Sum", response.headers.values(of: "X-Sum"), is: [])
            }
        },
        Self(
            "gzip.whole",
            .responseBodies,
            "A gzip body is decoded, or delivered as it is if the transport did not ask for gzip."
        ) { trial in
            let content = pattern(100_000)
            let response = try await trial.receive(.gzip(content))
            let body = try await response.body.collect(upTo: 1 << 20)
            if !trial.askedForGzip, body != content {
                return try expect("the coded bytes", body, is: Gzip.stored(content, .whole))
            }
            try expect("the decoded bytes", body == content, seen: "\(body.count) bytes, or others")
        },
        damagedGzipCase("corrupt", .corrupt),
        damagedGzipCase("cut-short", .cutShort),
        Self(
            "gzip.bomb",
            .responseBodies,
            "The limit of a buffered body applies to the decoded size of a gzip body."
        ) { trial in
            do {
                let response = try await trial.receive(
                    .gzipBomb(decodedSize: 50_000_000),
                    delivery: .buffered(upTo: 1 << 20)
                )
                let body = try await response.body.collect(upTo: 1 << 20)
                try expect("`.bodyTooLarge`", !trial.askedForGzip, seen: "\(body.count) bytes")
            } catch NetKitError.Code.bodyTooLarge {}
        },
        Self(
            "gzip.unknown-coding",
            .responseBodies,
            "A body with an unknown coding is delivered as it is, with the coding's name."
        ) { trial in
            let response = try await trial.receive(ServerReply.data(hello).header("Content-Encoding", "x-none"))
            try expect("Content-Encoding", response.headers.values(of: "Content-Encoding"), is: ["x-none"])
            try await expect(response, 200, "hello")
        },
    ]

    static let hello = Data("hello".utf8)

    private static func contentCase(_ name: String, _ promise: String, _ reply: ServerReply, _ content: Data)
        -> ConformanceCase
    {
        Self("response-body.\(name)", .responseBodies, promise) { trial in
            for delivery in [ConformanceTrial.ample, .streamed] {
                let response = try await trial.receive(reply, delivery: delivery)
                try expect("status", response.status.code, is: 200)
                try expect("body, \(delivery)", try await response.body.collect(upTo: 1 << 20), is: content)
            }
        }
    }

    private static func damagedGzipCase(_ name: String, _ condition: ServerReply.GzipCondition) -> ConformanceCase {
        Self(
            "gzip.\(name)",
            .responseBodies,
            "A gzip body that is \(name == "corrupt" ? name : "cut short") is an error, never a complete body."
        ) { trial in
            for delivery in [ConformanceTrial.ample, .streamed] {
                do {
                    let response = try await trial.receive(.gzip(pattern(100_000), condition), delivery: delivery)
                    let body = try await response.body.collect(upTo: 1 << 20)
                    try expect("an error", !trial.askedForGzip, seen: "success: \(body.count) bytes, \(delivery)")
                } catch let error as NetKitError {
                    try expect("an error with the outcome answered", error.outcome == .answered, seen: "\(error)")
                    let codes: [NetKitError.Code] = [.invalidResponse, .connectionLost]
                    try expect("`.invalidResponse`", codes.contains(error.code), seen: "\(error)")
                }
            }
        }
    }
}

extension ConformanceTrial {
    /// Whether the last request accepts gzip.
    fileprivate var askedForGzip: Bool {
        server.requests.last?.headers.values(of: "Accept-Encoding").contains { $0.contains("gzip") } ?? false
    }
}
