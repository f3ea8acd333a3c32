import Foundation
import NetKit

extension ConformanceCase {
    static let requestBodyCases: [ConformanceCase] = [
        bodyCase("bytes", "Bytes arrive whole.", content: text) { _ in .data(text) },
        bodyCase("every-byte", "Every value of a byte arrives.", content: pattern(512)) { _ in .data(pattern(512)) },
        bodyCase("empty", "An empty body arrives as an empty body.", content: Data()) { _ in .data(Data()) },
        bodyCase("file", "A file arrives whole.", content: text) { .file(at: $0) },
        bodyCase("file-part", "A part of a file arrives, and nothing else of it.", content: text.dropFirst(3).prefix(5))
        {
            .file(at: $0, offset: 3, length: 5)
        },
        bodyCase("stream-of-known-length", "A stream of known length arrives whole.", content: text + text) { _ in
            .stream(length: Int64(2 * text.count), chunks([text, text]))
        },
        bodyCase("stream", "A stream of unknown length arrives whole.", content: text + text) { _ in
            .stream(chunks([text, text]))
        },
        bodyCase("stream-empty", "A stream without bytes arrives as an empty body.", content: Data()) { _ in
            .stream(chunks([]))
        },
        bodyCase("large", "10 MB arrive whole.", content: pattern(10_000_000)) { _ in .data(pattern(10_000_000)) },
        bodyCase("large-stream", "A stream of 10 MB arrives whole.", content: pattern(10_000_000)) { _ in
            .stream(chunks(pieces(of: pattern(10_000_000), 100_000)))
        },
        bodyCase("get", "A GET may have a body.", .get, content: text) { _ in .data(text) },
        bodyCase("delete", "A DELETE may have a body.", .delete, content: text) { _ in .data(text) },
        bodyCase("patch", "A PATCH has a body.", .patch, content: text) { _ in .data(text) },
        Self("request-body.no-content-type", .requestBodies, "No media type is invented.") { trial in
            let arrived = try await trial.arrival(of: HTTPRequest(.post, "/", body: .data(text)))
            try expect("Content-Type", arrived.headers.values(of: "Content-Type"), is: [])
        },
        Self("request-body.content-type", .requestBodies, "The body's media type arrives once.") { trial in
            let body = HTTPBody.data(text, contentType: "application/x-own; a=\"b\"")
            let arrived = try await trial.arrival(of: HTTPRequest(.post, "/", body: body))
            let types = arrived.headers.values(of: "Content-Type")
            try expect("Content-Type", types, is: ["application/x-own; a=\"b\""])
        },
        Self(
            "request-body.failing-stream",
            .requestBodies,
            "A stream that fails also fails the call, and is never taken for a complete request."
        ) { trial in
            trial.server.on(nil, "/**", .text("seen"))
            let body = HTTPBody.stream(failingChunks([text]))
            try await trial.failure(from: { try await trial.send(HTTPRequest(.post, "/broken", body: body)) })
            try await expect(trial.get("/next"), 200, "seen")
            try expect("requests", trial.server.requests.map(\.path), is: ["/next"])
        },
        Self(
            "request-body.short-stream",
            .requestBodies,
            "A stream shorter than its length fails the call, and is never taken for a complete request."
        ) { trial in
            trial.server.on(nil, "/**", .text("seen"))
            let body = HTTPBody.stream(length: 100, chunks([text]))
            try await trial.failure(.invalidRequest) { try await trial.send(HTTPRequest(.post, "/broken", body: body)) }
            try await expect(trial.get("/next"), 200, "seen")
            try expect("requests", trial.server.requests.map(\.path), is: ["/next"])
        },
        Self(
            "request-body.early-response",
            .requestBodies,
            "A response that arrives before the end of the request reaches the caller."
        ) { trial in
            trial.server.on(.post, "/", .text("too much", status: 413).after(.headers))
            let response = try await trial.send(HTTPRequest(.post, "/", body: .data(pattern(1_000_000))))
            try await expect(response, 413, "too much")
        },
    ]

    private static let text = Data("0123456789 \r\n\0é".utf8)

    /// Returns a case for one kind of body, with a file that contains the text.
    private static func bodyCase(
        _ name: String,
        _ promise: String,
        _ method: HTTPMethod = .post,
        content: Data,
        _ make: @escaping @Sendable (URL) -> HTTPBody
    ) -> ConformanceCase {
        Self("request-body.\(name)", .requestBodies, promise) { trial in
            let folder = try TemporaryFolder()
            let file = try folder.write(text, to: "file")
            let arrived = try await trial.arrival(of: HTTPRequest(method, "/", body: make(file)))
            try expect("method", arrived.method, is: method)
            try expect("body", arrived.body, is: Data(content))
            let lengths = arrived.headers.values(of: "Content-Length")
            let codings = arrived.headers.values(of: "Transfer-Encoding").map { $0.lowercased() }
            let isFramedOnce =
                lengths == ["\(content.count)"] && codings == [] || lengths == [] && codings == ["chunked"]
            let isEmpty = content.isEmpty && lengths == [] && codings == []
            try expect(
                "Content-Length: \(content.count) or chunked, and never both",
                isFramedOnce || isEmpty,
                seen: "Content-Length \(lengths), Transfer-Encoding \(codings)"
            )
        }
    }
}
