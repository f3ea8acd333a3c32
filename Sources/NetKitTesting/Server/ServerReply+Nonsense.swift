public import Foundation

/// Answers that are no proper HTTP.
extension ServerReply {
    /// Exactly these bytes, the status line included.
    public static func raw(_ bytes: Data) -> ServerReply { ServerReply(body: .raw(bytes)) }

    /// Exactly this text, the status line included.
    public static func raw(_ text: String) -> ServerReply { raw(Data(text.utf8)) }

    /// Bytes that are no HTTP instead of a status line; then the connection is closed.
    public static var garbage: ServerReply {
        raw(Data([0x16, 0x03, 0x01, 0x00, 0xFF, 0x0D, 0x0A, 0x80, 0x00, 0x0D, 0x0A, 0x0D, 0x0A])).closing(at: .end)
    }

    /// A body alone, as HTTP/0.9 answered; then the connection is closed.
    public static func http09(_ body: String) -> ServerReply { raw(body).closing(at: .end) }

    /// A chunked body with a chunk size that is no number behind the first piece; then the connection is closed.
    public static func badChunk(after first: Data = Data("hello".utf8)) -> ServerReply {
        ServerReply(body: .brokenChunk(first)).closing(at: .end)
    }

    /// A header line without end, sent until the client has had enough.
    public static var endlessHeaderLine: ServerReply {
        endless(behind: "X-Endless: ", Data(repeating: UInt8(ascii: "a"), count: 16 << 10))
    }

    /// Header lines without end, sent until the client has had enough.
    public static var endlessHeaders: ServerReply {
        endless(behind: "", Data(String(repeating: "X-Endless: and one more\r\n", count: 640).utf8))
    }

    /// Informational responses without end, sent until the client has had enough.
    public static var endlessInformational: ServerReply {
        raw("").with(
            .repeat(Data(String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n", count: 300).utf8)),
            at: .end
        )
    }

    /// Fields behind a chunked body without end, sent until the client has had enough.
    public static var endlessTrailers: ServerReply {
        endless(
            behind: "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n",
            Data(String(repeating: "X-Endless: and one more\r\n", count: 640).utf8)
        )
    }

    /// A body without a length and without end, sent until the client has had enough.
    public static var endlessBody: ServerReply {
        endless(behind: "Connection: close\r\n\r\n", Data(repeating: UInt8(ascii: "a"), count: 16 << 10))
    }

    private static func endless(behind start: String, _ unit: Data) -> ServerReply {
        raw("HTTP/1.1 200 OK\r\n" + start).with(.repeat(unit), at: .end)
    }
}
