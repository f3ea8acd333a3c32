public import Foundation

/// A request: method, URL or path, header fields and body.
///
/// ```swift
/// var request = HTTPRequest(.get, "/users/\(id)", query: ["full": true])
/// request.headers["Accept"] = "application/json"
/// ```
/// A path is joined to the base URL of the client before the first interceptor sees the request. From then on, `url` is
/// absolute.
public struct HTTPRequest: Sendable {
    /// The HTTP method.
    public var method: HTTPMethod
    /// The header fields, in the order they are sent.
    public var headers: HTTPHeaders
    /// The body; `nil` if there is none.
    public var body: HTTPBody?
    /// Whether `AuthInterceptor` adds a credential; `false` for login and refresh.
    public var requiresAuth = true

    private var target: Target

    private enum Target: Sendable {
        // Behind a pointer, because a request travels through every interceptor and should be small.
        indirect case path(RequestPath, query: QueryBuilder)
        case url(URL)
        /// A validated URL: only `resolve(against:)` makes one, and setting `url` makes it unvalidated again.
        case validated(URL)
    }

    /// Creates a request for a path below the client's base URL, or for an absolute URL with safe interpolation.
    public init(
        _ method: HTTPMethod,
        _ path: RequestPath,
        query: QueryBuilder = QueryBuilder(),
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil
    ) {
        self.method = method
        target = .path(path, query: query)
        self.headers = headers
        self.body = body
    }

    /// Creates a request for a URL; one without scheme and host is a path below the client's base URL.
    @_disfavoredOverload
    public init(_ method: HTTPMethod, _ url: URL, headers: HTTPHeaders = [:], body: HTTPBody? = nil) {
        self.method = method
        target = .url(url)
        self.headers = headers
        self.body = body
    }

    /// The URL of the request: absolute from the first interceptor on, and possibly only a path before.
    ///
    /// If the path or the query cannot be sent, the URL has the scheme `invalid`, so that a URL made from it is refused
    /// too.
    public var url: URL {
        // Not inlined, or each of its many callers would have the code for every kind of target.
        @inline(never)
        get {
            switch target {
            case .url(let url), .validated(let url): url
            case .path(let path, let query): Self.relativeURL(of: path, query)
            }
        }
        set { target = .url(newValue) }
    }

    /// The target as a text for messages, even if it is refused.
    var targetForMessage: String {
        if case .path(let path, let query) = target { path.encoded.appendingQuery(query) } else { url.absoluteString }
    }

    // Not inlined: async functions that ask for the URL would hold its memory while they wait.
    @inline(never)
    private static func relativeURL(of path: RequestPath, _ query: QueryBuilder) -> URL {
        let text = path.encoded.appendingQuery(query)
        // With this scheme, a URL that is made from it, such as by appending, is refused like the path itself.
        let refusal = (path.problem ?? query.problem) == nil ? "" : "invalid:"
        return URL(text: refusal + text) ?? URL(fileURLWithPath: "/")
    }

    /// Whether sending the request twice has the effect of sending it once.
    ///
    /// This is so because of its method, or because the server recognizes a repetition by the `Idempotency-Key`.
    ///
    /// The body is not considered; it may be one that can be read only once.
    var isRepeatable: Bool { method.isIdempotent || headers.idempotencyKey != nil }

    /// The path as it was written, with `{}` for each value; `nil` if it was not a literal, or once the request is
    /// resolved.
    var template: String? {
        if case .path(let path, _) = target { path.template } else { nil }
    }

    /// Returns the target as a text that can be stored: a path with its query, or an absolute URL.
    package func targetText() throws(NetKitError) -> String {
        switch target {
        case .validated(let url): return url.absoluteString
        case .url(let url) where url.scheme == nil && url.host(percentEncoded: true) == nil: return url.relativeString
        case .url(let given):
            let url = given.asSent
            if let problem = RequestValidation.problem(ofURL: url) { throw NetKitError(.invalidURL, problem) }
            return url.absoluteString
        case .path(let path, let query):
            let text = try Self.text(of: path, query)
            // This check is faster than making a URL only to see whether one can be made.
            let isPlain = text.utf8.allSatisfy { $0.isURLUnreserved || $0 == UInt8(ascii: "/") }
            guard isPlain && text.hasPrefix("/") && !text.hasPrefix("//") || URL(text: text) != nil else {
                throw Self.invalidURL(path)
            }
            return text
        }
    }

    /// Makes the URL absolute and valid; a path is joined to the base.
    mutating func resolve(against base: BaseURL?) throws(NetKitError) {
        switch target {
        case .validated: return
        case .url(let given) where RequestValidation.isPlain(given):
            target = .validated(given.absoluteURL)
        case .url(let given) where given.scheme == nil && given.host(percentEncoded: true) == nil:
            let path = RequestPath(raw: given.relativeString)
            target = .validated(try Self.url(of: path, query: QueryBuilder(), base: base))
        case .url(let given): target = .validated(try Self.checked(given.asSent))
        case .path(let path, let query): target = .validated(try Self.url(of: path, query: query, base: base))
        }
    }

    /// Returns the request with an absolute and valid URL; a path is joined to the base.
    package func resolved(against base: BaseURL?) throws(NetKitError) -> HTTPRequest {
        var resolved = self
        try resolved.resolve(against: base)
        return resolved
    }

    /// Returns the valid URL of a path.
    private static func url(of path: RequestPath, query: QueryBuilder, base: BaseURL?) throws(NetKitError) -> URL {
        let text = try text(of: path, query)
        if path.isAbsolute {
            guard let url = URL(text: text) else { throw invalidURL(path) }
            return try checked(url)
        }
        guard let base else { throw missingBase(for: path) }
        // The scheme, host and port are those of the base, which are valid.
        guard let url = URL(text: base.joined(with: text)) else { throw invalidURL(path) }
        return url
    }

    /// Returns an absolute URL, or throws if it is not valid.
    private static func checked(_ url: URL) throws(NetKitError) -> URL {
        if let problem = RequestValidation.problem(ofURL: url) { throw NetKitError(.invalidURL, problem) }
        return url
    }

    /// Returns the text of a path with its query.
    private static func text(of path: RequestPath, _ query: QueryBuilder) throws(NetKitError) -> String {
        if let problem = path.problem { throw NetKitError(.invalidURL, problem) }
        if let problem = query.problem { throw NetKitError(.encoding, "The query cannot be written. \(problem).") }
        return path.encoded.appendingQuery(query)
    }

    private static func invalidURL(_ path: RequestPath) -> NetKitError {
        NetKitError(.invalidURL, "\"\(path.shown)\" does not make a valid URL.")
    }

    /// Returns the error of a path for which a client has no base URL.
    private static func missingBase(for path: RequestPath) -> NetKitError {
        // With another scheme than those of HTTP, a text is no path either.
        if let url = URL(text: path.encoded), url.scheme != nil, url.host(percentEncoded: true) != nil,
            let problem = RequestValidation.problem(ofURL: url)
        {
            return NetKitError(.invalidURL, problem)
        }
        let hint =
            "Give the client a base URL (`URL(string:)` returns nil for an invalid text), or the request an "
            + "absolute one: \"\\(raw: url)\"."
        return NetKitError(.invalidURL, "\"\(path.shown)\" is a path, but the client has no base URL. \(hint)")
    }

    /// Prepares the body, and adds its media type to the header fields.
    mutating func prepare(json: JSONCoder) throws(NetKitError) {
        guard let given = body else { return }
        body = try given.prepared(json: json)
        if let contentType = given.contentType { headers.addIfMissing("Content-Type", contentType) }
    }

    /// Returns the request with its body prepared, and the body's media type among the header fields.
    package func prepared() throws(NetKitError) -> HTTPRequest {
        var prepared = self
        try prepared.prepare(json: .standard)
        return prepared
    }
}

extension String {
    /// Returns the text with a query added after its own query, and before its fragment.
    func appendingQuery(_ query: QueryBuilder) -> String {
        guard !query.isEmpty else { return self }
        let fragment = self[(firstIndex(of: "#") ?? endIndex)...]
        let rest = self[..<fragment.startIndex]
        var bytes = Array(rest.utf8)
        if !rest.utf8.contains(UInt8(ascii: "?")) {
            bytes.append(UInt8(ascii: "?"))
        } else if bytes.last != UInt8(ascii: "?") {
            bytes.append(UInt8(ascii: "&"))
        }
        query.append(to: &bytes, PercentEncoding.appendSegment)
        bytes.append(contentsOf: fragment.utf8)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension HTTPRequest: CustomStringConvertible, CustomReflectable {
    /// Method and URL, with user info and sensitive query items masked.
    public var description: String { Redaction.standard.requestLine(for: self) }

    /// A mirror without the URL, for `dump` and test reports.
    public var customMirror: Mirror { Mirror(self, children: ["headers": headers, "body": body as Any]) }
}
