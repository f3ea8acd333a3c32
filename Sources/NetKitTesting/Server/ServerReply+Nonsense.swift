public import Foundation

/// Replies that violate HTTP.
extension ServerReply {
    /// Returns a reply of exactly these bytes, including the status line.
    public static func raw(_ bytes: Data) -> ServerReply { ServerReply(body: .raw(bytes)) }

    /// Returns a reply of exactly this text, including the status line.
    public static func raw(_ text: String) -> ServerReply { raw(Data(text.utf8)) }

    /// A reply of bytes that are not HTTP, after which the connection is closed.
    public static var garbage: ServerReply {
        raw(Data([0x16, 0x03, 0x01, 0x00, 0xFF, 0x0D, 0x0A, 0x80, 0x00, 0x0D, 0x0A, 0x0D, 0x0A])).closing(at: .end)
    }

    /// Returns a reply of a body alone, as in HTTP/0.9, after which the connection is closed.
    public static func http09(_ body: String) -> ServerReply { raw(body).closing(at: .end) }

    /// Returns a reply with a malformed chunk size after the first chunk, after which the connection is closed.
    public static func badChunk(after first: Data = Data("hello".utf8)) -> ServerReply {
        ServerReply(body: .brokenChunk(first)).closing(at: .end)
    }

    /// A reply with an endless header line, sent until the client gives up.
    public static var endlessHeaderLine: ServerReply {
        endless(after: "X-Endless: ", Data(repeating: UInt8(ascii: "a"), count: 16 << 10))
    }

    /// A reply with endless header lines, sent until the client gives up.
    public static var endlessHeaders: ServerReply {
        endless(after: "", Data(String(repeating: "X-Endless: and one more\r\n", count: 640).utf8))
    }

    /// A reply of endless informational responses, sent until the client gives up.
    public static var endlessInformational: ServerReply {
        raw("").with(
            .repeat(Data(String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n", count: 300).utf8)),
            at: .end
        )
    }

    /// A reply with endless trailer fields, sent until the client gives up.
    public static var endlessTrailers: ServerReply {
        endless(
            after: "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n",
            Data(String(repeating: "X-Endless: and one more\r\n", count: 640).utf8)
        )
    }

    /// A reply with an endless body without a length, sent until the client gives up.
    public static var endlessBody: ServerReply {
        endless(after: "Connection: close\r\n\r\n", Data(repeating: UInt8(ascii: "a"), count: 16 << 10))
    }

    private static func endless(after start: String, _ unit: Data) -> ServerReply {
        raw("HTTP/1.1 200 OK\r\n" + start).with(.repeat(unit), at: .end)
    }
}
