import Foundation
import NetKit

extension ConformanceCase {
    static let connectionCases: [ConformanceCase] = [
        reuseCase("reuse", "A connection is used again.", .text("hello")),
        reuseCase("reuse-chunked", "A connection is reused after a chunked body.", .chunked([hello])),
        reuseCase("reuse-204", "A connection is reused after 204.", .status(204)),
        reuseCase("reuse-304", "A connection is reused after 304.", .status(304)),
        reuseCase("reuse-error", "A connection is reused after a 500.", .text("oh", status: 500)),
        reuseCase("reuse-redirect", "A connection is reused after a redirect.", .redirect(to: "/x")),
        reuseCase("reuse-informational", "A connection is reused after 103.", .text("hello").informational(103)),
        reuseCase("reuse-head", "A connection is reused after a response to HEAD.", .text("hello"), .head),
        Self("connection.reuse-streamed", .connections, "A connection is reused after a streamed body.") { trial in
            trial.server.on(nil, "/", .text("hello"))
            for _ in 0..<4 { try await expect(trial.get(delivery: .streamed), 200, "hello") }
            try expect("connections", trial.server.requests.map(\.connection), is: [1, 1, 1, 1])
        },
        Self("connection.reuse-upload", .connections, "A connection is reused after an upload.") { trial in
            trial.server.on(nil, "/", .text("hello"))
            for _ in 0..<4 {
                let body = HTTPBody.stream(chunks([hello, hello]))
                try await expect(trial.send(HTTPRequest(.post, "/", body: body)), 200, "hello")
            }
            try expect("bodies", trial.server.requests.map(\.body), is: Array(repeating: hello + hello, count: 4))
            try expect("connections", trial.server.requests.map(\.connection), is: [1, 1, 1, 1])
        },
        Self("connection.timings", .connections, "The timings of a response describe its connection correctly.") {
            trial in
            trial.server.on(nil, "/", ServerReply.text("hello").pausing(.milliseconds(20)))
            for isReused in [false, true] {
                let timings = try await trial.get().timings
                try expect("address", timings.remoteAddress ?? "127.0.0.1", is: "127.0.0.1")
                try expect("reused", timings.reusedConnection ?? isReused, is: isReused)
                try expect("version", timings.protocolVersion ?? "HTTP/1.1", is: "HTTP/1.1")
                let firstByte = timings.firstByte ?? .milliseconds(20)
                let isPlausible = firstByte >= .milliseconds(19) && firstByte <= timings.total ?? firstByte
                try expect("a first byte when it came", isPlausible, seen: "\(firstByte) of \(timings.total ?? .zero)")
            }
        },
        Self("connection.close", .connections, "`Connection: close` is respected.") { trial in
            trial.server.on(nil, "/", ServerReply.text("hello").header("Connection", "close"))
            for _ in 0..<3 { try await expect(trial.get(), 200, "hello") }
            try expect("connections", trial.server.requests.map(\.connection), is: [1, 2, 3])
        },
        Self(
            "connection.closed-while-idle",
            .connections,
            "A connection that the server closed while it was idle does not fail the next call.",
            isRisky: true
        ) { trial in
            trial.server.on(nil, "/", ServerReply.text("hello").closing(at: .end))
            for _ in 0..<2 {
                try await expect(trial.get(), 200, "hello")
                await trial.server.waitForOpenConnections(0)
            }
        },
        Self(
            "connection.keep-alive-race",
            .connections,
            "A connection that closes just as the next request arrives gives `.connectionLost` or a response.",
            isRisky: true
        ) { trial in
            trial.server.on(nil, "/", ServerReply.text("hello").closingIdleConnection())
            for _ in 0..<6 {
                do {
                    try await expect(trial.get(), 200, "hello")
                } catch NetKitError.Code.connectionLost {}
            }
        },
        Self(
            "connection.unasked-response",
            .connections,
            "Bytes after a response are not the response to the next request.",
            isRisky: true
        ) { trial in
            let response = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
            trial.server.on(nil, "/", .raw(response + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"))
            trial.server.on(nil, "/next", .text("next"))
            try await expect(trial.get(), 200, "ok")
            do {
                try await expect(trial.get("/next"), 200, "next")
            } catch let error as NetKitError {
                try expect("its own response or an error", error.code != .timeout, seen: "\(error)")
            }
        },
        Self(
            "connection.abandoned",
            .connections,
            "The rest of an abandoned body is not the response to the next request.",
            isRisky: true
        ) { trial in
            trial.server.on(nil, "/", .data(pattern(300_000)))
            trial.server.on(nil, "/next", .text("next"))
            for _ in 0..<5 {
                for try await _ in try await trial.get(delivery: .streamed).body { break }
                try await expect(trial.get("/next"), 200, "next")
            }
        },
        Self(
            "concurrency.500",
            .connections,
            "500 concurrent calls get their own responses.",
            timeLimit: .seconds(20)
        ) { trial in
            trial.server.on(.post, "/echo/*") { .text("\($0.path) \($0.bodyText)") }
            try await concurrently(500) { number in
                let request = HTTPRequest(.post, "/echo/\(number)", body: .text("body \(number)"))
                try await expect(trial.send(request), 200, "/echo/\(number) body \(number)")
            }
            try expect("requests", trial.server.requests.count, is: 500)
        },
        Self("concurrency.bodies", .connections, "50 concurrent streamed bodies are not mixed up.") { trial in
            trial.server.on(.get, "/*") { .data(Data(repeating: UInt8($0.path.dropFirst()) ?? 0, count: 100_000)) }
            try await concurrently(50) { number in
                let response = try await trial.get("/\(number)", delivery: .streamed)
                let body = try await response.body.collect(upTo: 1 << 20)
                let isOwn = body == Data(repeating: UInt8(number), count: 100_000)
                try expect("100,000 bytes of its own", isOwn, seen: "\(body.count) bytes, or others")
            }
        },
    ]

    private static func reuseCase(
        _ name: String,
        _ promise: String,
        _ reply: ServerReply,
        _ method: HTTPMethod = .get
    ) -> ConformanceCase {
        Self("connection.\(name)", .connections, promise) { trial in
            trial.server.on(nil, "/", reply)
            for _ in 0..<4 { _ = try await trial.send(HTTPRequest(method, "/")) }
            try expect("connections", trial.server.requests.map(\.connection), is: [1, 1, 1, 1])
        }
    }
}
