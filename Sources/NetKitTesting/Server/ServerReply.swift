public import Foundation
public import NetKit

/// A reply of a `MockServer`, with bytes, pauses and faults.
///
/// ```swift
/// .json(user)
/// .status(503).header("Retry-After", "2")
/// .text("hello").resetting(at: .inBody(after: 2))
/// .data(bytes).dripping(bytesPerSecond: 100_000)
/// .challenge(#"Basic realm="x""#, #"Bearer error="invalid_token""#)
/// ```
/// A factory method makes the response, and modifiers define its faults and their timing.
public struct ServerReply: Sendable {
    enum Body: Sendable {
        case none
        case whole(Data)
        case chunked([Data], trailers: HTTPHeaders)
        case brokenChunk(Data)
        case untilClose(Data)
        /// The whole response, including the status line.
        case raw(Data)
    }

    struct Incident: Sendable {
        let moment: Moment
        let step: ServerStep
    }

    /// The part of the request that is read before the reply starts.
    var depth = Depth.body
    var status: HTTPStatus
    /// The status line, if it differs from that of `status`.
    var statusLine: String?
    /// The type of the body, for which there is a line unless `lines` has one.
    var contentType: String?
    /// The header lines without their endings.
    var lines: [Data] = []
    /// The informational responses before the response.
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

    // MARK: - Responses

    /// Returns a reply without a body.
    ///
    /// The status may be any number.
    public static func status(_ status: HTTPStatus) -> ServerReply {
        ServerReply(status: status)
    }

    /// Returns a reply with a body of bytes.
    public static func data(_ data: Data, status: HTTPStatus = .ok, contentType: String? = nil) -> ServerReply {
        var reply = ServerReply(status: status, body: .whole(data))
        reply.contentType = contentType
        return reply
    }

    /// Returns a reply with a text body.
    public static func text(_ text: String, status: HTTPStatus = .ok) -> ServerReply {
        data(Data(text.utf8), status: status, contentType: "text/plain; charset=utf-8")
    }

    /// Returns a reply with a text that is JSON already.
    public static func jsonText(_ text: String, status: HTTPStatus = .ok) -> ServerReply {
        data(Data(text.utf8), status: status, contentType: "application/json")
    }

    /// Returns a reply with a value as JSON, encoded by `JSONCoder.standard`.
    ///
    /// A value that cannot be encoded is a reply with status 500 and a problem that says why.
    public static func json(_ value: some Encodable, status: HTTPStatus = .ok) -> ServerReply {
        do {
            return data(try JSONCoder.standard.encoder.encode(value), status: status, contentType: "application/json")
        } catch {
            return problem("The reply cannot be encoded: \(error)", status: .internalServerError)
        }
    }

    /// Returns a reply with a JSON value, including a literal whose values differ in type.
    public static func json(_ value: JSONValue, status: HTTPStatus = .ok) -> ServerReply {
        let encodable: some Encodable = value
        return json(encodable, status: status)
    }

    /// Returns a reply of the server itself, as a problem (RFC 9457), whose detail becomes a part of a client's error.
    static func problem(_ detail: String, status: HTTPStatus) -> ServerReply {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let body = (try? encoder.encode(["detail": detail])) ?? Data()
        return data(body, status: status, contentType: "application/problem+json")
    }

    /// Returns a reply with a chunked body and optional trailer fields.
    public static func chunked(
        _ chunks: [Data],
        trailers: HTTPHeaders = HTTPHeaders(),
        status: HTTPStatus = .ok
    ) -> ServerReply {
        ServerReply(status: status, body: .chunked(chunks, trailers: trailers))
    }

    /// Returns a reply with a body that ends with the connection.
    public static func untilClose(_ data: Data, status: HTTPStatus = .ok) -> ServerReply {
        var reply = ServerReply(status: status, body: .untilClose(data))
        reply.closes = true
        return reply
    }

    /// Returns a redirect to a location.
    public static func redirect(to location: String, status: HTTPStatus = .found) -> ServerReply {
        ServerReply(status: status).header("Location", location)
    }

    /// Returns a reply with status 401 and a `WWW-Authenticate` field for each challenge.
    public static func challenge(_ challenges: String...) -> ServerReply {
        var reply = ServerReply(status: .unauthorized)
        for challenge in challenges { reply = reply.header("WWW-Authenticate", challenge) }
        return reply
    }

    /// Returns a reply with a gzip body, which may be damaged.
    ///
    /// Its length on the wire is correct in any case.
    public static func gzip(_ data: Data, _ condition: GzipCondition = .whole) -> ServerReply {
        ServerReply(body: .whole(Gzip.stored(data, condition))).header("Content-Encoding", "gzip")
    }

    /// Returns a reply with a gzip body that decodes to a number of zero bytes, and has about a thousandth of that
    /// size.
    public static func gzipBomb(decodedSize: Int) -> ServerReply {
        ServerReply(body: .whole(Gzip.zeros(decodedSize))).header("Content-Encoding", "gzip")
    }
}
