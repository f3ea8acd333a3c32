public import Foundation
public import NetKit

/// What a `MockServer` answers: a script of bytes, pauses and faults.
///
/// ```swift
/// .json(#"{"id":42}"#)
/// .status(503).header("Retry-After", "2")
/// .text("hello").resetting(at: .inBody(after: 2))
/// .data(photo).dripping(bytesPerSecond: 100_000)
/// .challenge(#"Basic realm="x""#, #"Bearer error="invalid_token""#)
/// ```
/// It starts with a factory for the answer; modifiers say what goes wrong with it and when.
public struct ServerReply: Sendable {
    enum Body: Sendable {
        case none
        case whole(Data)
        case chunked([Data], trailers: HTTPHeaders)
        case brokenChunk(Data)
        case untilClose(Data)
        /// Everything, the status line included.
        case raw(Data)
    }

    struct Incident: Sendable {
        let moment: Moment
        let step: ServerStep
    }

    /// How much of the request is read before the reply starts.
    var depth = Depth.body
    var status: HTTPStatus
    /// Replaces the status line that the status makes.
    var statusLine: String?
    /// The header lines without their ends.
    var lines: [Data] = []
    /// What goes ahead of the answer: 1xx responses.
    var preface = Data()
    var body: Body
    var lineEnding = LineEnding.crLf
    var closes = false
    var bytesPerSecond: Int?
    var bytesMissing: Int?
    var incidents: [Incident] = []

    init(status: HTTPStatus = .ok, body: Body = .none) {
        self.status = status
        self.body = body
    }

    // MARK: - Answers

    /// A status without a body; any number, registered or not.
    public static func status(_ status: HTTPStatus) -> ServerReply {
        ServerReply(status: status)
    }

    /// A body of bytes.
    public static func data(_ data: Data, status: HTTPStatus = .ok, contentType: String? = nil) -> ServerReply {
        let reply = ServerReply(status: status, body: .whole(data))
        return contentType.map { reply.header("Content-Type", $0) } ?? reply
    }

    /// A body of text.
    public static func text(_ text: String, status: HTTPStatus = .ok) -> ServerReply {
        data(Data(text.utf8), status: status, contentType: "text/plain; charset=utf-8")
    }

    /// A body of JSON, as it is written here.
    public static func json(_ json: String, status: HTTPStatus = .ok) -> ServerReply {
        data(Data(json.utf8), status: status, contentType: "application/json")
    }

    /// A chunked body, one chunk for each piece, with trailer fields behind it.
    public static func chunked(
        _ chunks: [Data],
        trailers: HTTPHeaders = HTTPHeaders(),
        status: HTTPStatus = .ok
    ) -> ServerReply {
        ServerReply(status: status, body: .chunked(chunks, trailers: trailers))
    }

    /// A body without a length, which ends with the connection.
    public static func untilClose(_ data: Data, status: HTTPStatus = .ok) -> ServerReply {
        var reply = ServerReply(status: status, body: .untilClose(data))
        reply.closes = true
        return reply
    }

    /// A redirect to a location.
    public static func redirect(to location: String, status: HTTPStatus = .found) -> ServerReply {
        ServerReply(status: status).header("Location", location)
    }

    /// A 401 with a `WWW-Authenticate` line for each challenge.
    public static func challenge(_ challenges: String...) -> ServerReply {
        var reply = ServerReply(status: .unauthorized)
        for challenge in challenges { reply = reply.header("WWW-Authenticate", challenge) }
        return reply
    }

    /// A gzip body, in order or damaged; its length on the wire is right either way.
    public static func gzip(_ data: Data, _ condition: GzipCondition = .whole) -> ServerReply {
        ServerReply(body: .whole(Gzip.stored(data, condition))).header("Content-Encoding", "gzip")
    }

    /// A small gzip body that grows to a number of zero bytes: about a thousandth of them on the wire.
    public static func gzipBomb(decodedSize: Int) -> ServerReply {
        ServerReply(body: .whole(Gzip.zeros(decodedSize))).header("Content-Encoding", "gzip")
    }
}
