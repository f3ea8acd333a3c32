public import Foundation
public import NetKit

/// A request that a `MockServer` received.
///
/// If the reply was sent before the whole request was read, the rest is missing here.
public struct ServerRequest: Sendable {
    /// The method.
    public internal(set) var method: HTTPMethod
    /// The request target, exactly as sent.
    public internal(set) var target: String
    /// The protocol version, such as `HTTP/1.1`.
    public internal(set) var version: String
    /// The percent-encoded path, without the query.
    public internal(set) var path: String
    /// The header fields in order.
    public internal(set) var headers = HTTPHeaders()
    /// The exact bytes of the request line and the header, including the empty line.
    public internal(set) var rawHead: Data
    /// The body, without chunked framing.
    public internal(set) var body = Data()
    /// The trailer fields of a chunked body.
    public internal(set) var trailers = HTTPHeaders()
    /// The number of the connection in the order of acceptance, from 1.
    public internal(set) var connection = 0
    /// The number of the request on its connection, from 1.
    public internal(set) var index = 0

    init(method: HTTPMethod, target: String, version: String, path: String, rawHead: Data) {
        self.method = method
        self.target = target
        self.version = version
        self.path = path
        self.rawHead = rawHead
    }

    /// Creates a request that was not received over a connection.
    package init(_ method: HTTPMethod, target: String, headers: HTTPHeaders, body: Data) {
        var head = "\(method) \(target) HTTP/1.1\r\n"
        for field in headers { head += "\(field.name): \(field.value)\r\n" }
        self.init(
            method: method,
            target: target,
            version: "HTTP/1.1",
            path: RequestSyntax.path(of: target),
            rawHead: Data((head + "\r\n").utf8)
        )
        self.headers = headers
        self.body = body
    }

    /// The body as text in UTF-8.
    public var bodyText: String { String(decoding: body, as: UTF8.self) }

    /// The head as text, with invalid UTF-8 replaced.
    public var rawHeadText: String { String(decoding: rawHead, as: UTF8.self) }

    /// The query as sent, without the question mark, or `nil` if there is none.
    public var query: String? {
        guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        return String(target[target.utf8.index(after: mark)...])
    }

    /// Returns the decoded value of a query item, or `nil` if there is none.
    public func query(_ name: String) -> String? {
        items.first { $0.name == name }?.value
    }

    /// The items of the query, decoded.
    var items: [URLQueryItem] { query.map { PathPattern.items(ofQuery: $0) } ?? [] }

    var isVersion11: Bool { version != "HTTP/1.0" }

    /// Whether the client wants to keep the connection open after the response.
    var keepsAlive: Bool {
        let options = headers["Connection"]?.lowercased() ?? ""
        return isVersion11 ? !options.contains("close") : options.contains("keep-alive")
    }

    var expectsContinue: Bool {
        isVersion11 && headers["Expect"]?.lowercased() == "100-continue"
    }
}

extension ServerRequest: CustomReflectable {
    /// A mirror with the secrets of the target masked, for `dump` and test reports.
    public var customMirror: Mirror {
        let target = Redaction.standard.redacted(urlText: target)
        return Mirror(
            self,
            children: ["method": method, "target": target, "headers": headers, "body": body, "connection": connection]
        )
    }
}
