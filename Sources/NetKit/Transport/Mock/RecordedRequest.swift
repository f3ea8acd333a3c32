public import Foundation

/// A request that a `MockTransport` received.
public struct RecordedRequest: Sendable {
    /// The method.
    public let method: HTTPMethod
    /// The absolute URL.
    public let url: URL
    /// The header fields that the client passes to a transport.
    ///
    /// A transport over the network adds more, such as `Host`, `Content-Length` and `Accept-Encoding`.
    public let headers: HTTPHeaders
    /// The body, which is empty if there is none.
    public let body: Data
    /// The identifier of the call.
    public let callID: CallID
    /// The number of the exchange in its call, from 1.
    public let attempt: Int

    /// The path as it is sent: percent-encoded, and `/` for a URL without a path.
    public let path: String
    private let basePath: String

    init(_ request: HTTPRequest, context: RequestContext) async throws {
        method = request.method
        url = request.url
        headers = request.headers
        callID = context.id
        attempt = context.attempt.number
        let path = request.url.path(percentEncoded: true)
        self.path = path.isEmpty ? "/" : path
        basePath = context.call.baseURL?.path(percentEncoded: true) ?? ""
        body = try await request.body?.collected() ?? Data()
    }

    /// The body as text in UTF-8.
    public var bodyText: String { String(decoding: body, as: UTF8.self) }

    /// Decodes the body as JSON with ``JSONCoder/standard``.
    public func json<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try JSONCoder.standard.decoder.decode(type, from: body)
    }

    /// Returns the decoded value of a query item, or `nil` if there is none.
    public func query(_ name: String) -> String? {
        items.first { $0.name == name }?.value
    }

    /// The path below the client's base URL, which is `/` for the base URL itself.
    var relativePath: Substring {
        let slash = UInt8(ascii: "/")
        var base = basePath.utf8[...]
        while base.last == slash { base = base.dropLast() }
        guard !base.isEmpty, path.utf8.starts(with: base) else { return path[...] }
        let rest = path.utf8.dropFirst(base.count)
        if rest.isEmpty { return "/" }
        return rest.first == slash ? Substring(rest) : path[...]
    }

    /// Scheme, host and path, without the query.
    var absolutePath: Substring {
        let text = url.absoluteString.prefix { $0 != "?" && $0 != "#" }
        return url.path(percentEncoded: true).isEmpty ? text + "/" : text
    }

    /// The items of the query, decoded.
    var items: [URLQueryItem] {
        url.query(percentEncoded: true).map { PathPattern.items(ofQuery: $0) } ?? []
    }
}

extension RecordedRequest: CustomReflectable {
    /// A mirror with the secrets of the URL masked, for `dump` and test reports.
    public var customMirror: Mirror {
        let url = Redaction.standard.redacted(url)
        return Mirror(
            self,
            children: ["method": method, "url": url, "headers": headers, "body": body, "callID": callID]
        )
    }
}
