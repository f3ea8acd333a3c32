import Foundation
import NetKit

extension ConformanceCase {
    static let extraByteCases: [ConformanceCase] = [
        extraCase(
            "response",
            "An unrequested response is not the response to the next request.",
            [.milliseconds(0), .milliseconds(1), .milliseconds(20), .milliseconds(50)].flatMap { delay in
                [HTTPMethod.get, .head, .post].map { ExtraBytes($0, .text("ok"), after: delay) }
            }
        ),
        extraCase(
            "partial",
            "The beginning of an unrequested response does not affect the next response.",
            ["HTTP/1.1 200 OK\r\nX-Path: evil\r\nX-Rest: ", "HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\nev", "H"]
                .flatMap { ExtraBytes.soonAndLater(.text("ok"), Data($0.utf8)) }
        ),
        extraCase(
            "bodiless",
            "A response after one without a body is not the response to the next request.",
            [(HTTPMethod.get, ServerReply.status(204)), (.get, .status(304)), (.head, .text("ok")), (.get, .text(""))]
                .flatMap { ExtraBytes.soonAndLater($1, method: $0) }
        ),
        extraCase(
            "chunked",
            "A response after a chunked body is not the response to the next request.",
            ExtraBytes.soonAndLater(.chunked([hello, hello])) + ExtraBytes.soonAndLater(.chunked([]))
        ),
        extraCase(
            "read-sizes",
            "A response after a body that fills a buffer is not the response to the next request.",
            [16_384, 32_768, 102_400, 262_144].flatMap { ExtraBytes.soonAndLater(.data(pattern($0))) }
        ),
        extraCase(
            "broken-off",
            "A response after a partly read body is not the response to the next request.",
            ExtraBytes.soonAndLater(.data(pattern(300_000))),
            isBrokenOff: true
        ),
        extraCase(
            "informational",
            "An unrequested informational response does not lead to a wrong response.",
            ["103 Early Hints", "100 Continue"].flatMap { line in
                let informational = Data("HTTP/1.1 \(line)\r\nX-Path: evil\r\n\r\n".utf8)
                return ExtraBytes.soonAndLater(.text("ok").informational(103), informational + ExtraBytes.response)
                    + ExtraBytes.soonAndLater(.text("ok"), informational)
            }
        ),
        extraCase(
            "newline",
            "A newline after a response does not affect the next one.",
            ["\r\n", "\n"].flatMap { ExtraBytes.soonAndLater(.text("ok"), Data($0.utf8)) }
        ),
    ]

    private static func extraCase(
        _ name: String,
        _ promise: String,
        _ tries: [ExtraBytes],
        isBrokenOff: Bool = false
    ) -> ConformanceCase {
        Self("connection.extra-\(name)", .connections, promise, isRisky: true, timeLimit: .seconds(20)) { trial in
            trial.server.on(nil, "/mine/*") { ExtraBytes.reply(to: $0) }
            var sentCount = 0
            for (number, extra) in tries.enumerated() {
                for delivery in isBrokenOff ? [.streamed] : [ConformanceTrial.ample, .streamed] {
                    let name = "\(number)-\(delivery.isStreamed ? "streamed" : "buffered")"
                    try await trial.ask("/evil/\(name)", extra, delivery, isBrokenOff: isBrokenOff, &sentCount)
                    for method in [extra.method, .get] {
                        try await trial.askForOwn("/mine/\(name)", method, delivery, &sentCount)
                    }
                }
            }
        }
    }
}

/// A response, and extra bytes that the server sends after it on the idle connection.
private struct ExtraBytes: Sendable {
    /// A complete response.
    static let response = Data("HTTP/1.1 200 OK\r\nX-Path: evil\r\nContent-Length: 4\r\n\r\nevil".utf8)

    let method: HTTPMethod
    let reply: ServerReply

    init(_ method: HTTPMethod, _ reply: ServerReply, _ bytes: Data = response, after delay: Duration) {
        self.method = method
        self.reply =
            (delay > .zero ? reply.pausing(delay, at: .end) : reply).with(.send(bytes), at: .end)
    }

    /// Returns the same bytes, sent right after the response and after the client has read it.
    static func soonAndLater(
        _ reply: ServerReply,
        _ bytes: Data = response,
        method: HTTPMethod = .get
    ) -> [ExtraBytes] {
        [Duration.zero, .milliseconds(20)].map { ExtraBytes(method, reply, bytes, after: $0) }
    }

    /// Returns the correct response, which contains the requested path.
    static func reply(to request: ServerRequest) -> ServerReply {
        ServerReply.text(request.path).header("X-Path", request.path)
    }
}

extension ConformanceTrial {
    /// Sends a request, and waits until the server has sent the extra bytes.
    fileprivate func ask(
        _ path: RequestPath,
        _ extra: ExtraBytes,
        _ delivery: Delivery,
        isBrokenOff: Bool,
        _ sentCount: inout Int
    ) async throws {
        server.on(nil, path.description, extra.reply)
        let response = try await send(request(extra.method, path), delivery: delivery)
        for try await _ in response.body where isBrokenOff { break }
        // A transport that responds in the process sends nothing.
        guard server.connectionCount > 0, let arrived = server.requests.last else { return }
        sentCount += extra.reply.byteCount(for: arrived)
        let end = ContinuousClock.now + .seconds(2)
        while server.sentByteCount < sentCount, server.openConnectionCount > 0, ContinuousClock.now < end {
            try await pause(.milliseconds(1))
        }
        sentCount = server.sentByteCount
        // Time for the bytes to reach the client's socket.
        try await pause(.milliseconds(4))
    }

    /// Sends a request, and fails the case unless its own response arrives.
    fileprivate func askForOwn(
        _ path: RequestPath,
        _ method: HTTPMethod,
        _ delivery: Delivery,
        _ sentCount: inout Int
    ) async throws {
        let response = try await send(request(method, path), delivery: delivery)
        let body = try await response.body.collect(upTo: 1 << 20)
        try expect("the response to \(method) \(path)", response.headers["X-Path"], is: path.description)
        try expect("status", response.status.code, is: 200)
        if method != .head { try expect("body", body, is: Data(path.description.utf8)) }
        if let arrived = server.requests.last { sentCount += ExtraBytes.reply(to: arrived).byteCount(for: arrived) }
    }

    private func request(_ method: HTTPMethod, _ path: RequestPath) -> HTTPRequest {
        HTTPRequest(method, path, body: method == .post ? .text("mine") : nil)
    }
}

extension ServerReply {
    /// Returns the size of the whole response on the wire.
    fileprivate func byteCount(for request: ServerRequest) -> Int {
        script(for: request).reduce(0) { count, step in
            if case .send(let bytes) = step { count + bytes.count } else { count }
        }
    }
}
