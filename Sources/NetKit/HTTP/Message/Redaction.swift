public import Foundation

/// The one place that decides what is secret: what never appears in logs, errors, exports or on disk.
///
/// ```swift
/// configuration.redaction.headerNames.insert("x-signature")
/// ```
public struct Redaction: Sendable, Hashable {
    /// Names of header fields whose values are secret; kept in lower case, in whatever case they are added.
    ///
    /// They are also the fields that do not follow a redirect to another origin.
    public var headerNames: Set<String> {
        didSet { headerNames = Set(headerNames.map { $0.lowercased() }) }
    }

    /// Names of query items whose values are secret; kept in lower case, in whatever case they are added.
    public var queryItems: Set<String> {
        didSet { queryItems = Set(queryItems.map { $0.lowercased() }) }
    }

    /// Makes a redaction from names; case does not matter.
    public init(headerNames: Set<String>, queryItems: Set<String>) {
        self.headerNames = Set(headerNames.map { $0.lowercased() })
        self.queryItems = Set(queryItems.map { $0.lowercased() })
    }

    /// What is secret unless said otherwise: credentials and cookies, and the usual names of keys in queries.
    public static let standard = Redaction(
        headerNames: [
            "authorization", "proxy-authorization", "cookie", "cookie2", "set-cookie", "x-api-key", "api-key",
            "x-auth-token", "x-amz-security-token", "x-csrf-token",
        ],
        queryItems: [
            "access_token", "refresh_token", "id_token", "token", "api_key", "apikey", "key", "secret",
            "client_secret", "password", "passwd", "pwd", "sig", "signature", "code", "auth",
            "x-amz-signature", "x-amz-security-token", "x-amz-credential",
        ]
    )

    /// What stands in place of a secret.
    public static let mask = "***"

    /// Whether the value of a header field is secret.
    public func isSensitive(header name: String) -> Bool {
        headerNames.contains(name.lowercased())
    }

    /// The header fields with secret values masked, and what is secret in the URLs that fields such as `Location` have.
    public func redacted(_ headers: HTTPHeaders) -> HTTPHeaders {
        HTTPHeaders(headers.fields.map { .init($0.name, redacted($0)) })
    }

    private static let namesOfURLs: Set<String> = [
        "location", "content-location", "referer", "link", "refresh", "destination",
    ]

    private func redacted(_ field: HTTPHeaders.Field) -> String {
        let name = field.name.lowercased()
        if headerNames.contains(name) { return Self.mask }
        guard Self.namesOfURLs.contains(name) else { return field.value }
        // `Link` has any number of URLs, each in angle brackets, which no URL has in itself.
        let parts = field.value.utf8.split(separator: UInt8(ascii: "<"), omittingEmptySubsequences: false)
        return parts.map { part in
            let end = part.firstIndex(of: UInt8(ascii: ">")) ?? part.endIndex
            return redacted(urlText: String(Substring(part[..<end]))) + Substring(part[end...])
        }
        .joined(separator: "<")
    }

    /// The URL as a text, with user info and secret query items masked and without fragment.
    public func redacted(_ url: URL) -> String {
        redacted(urlText: url.absoluteString)
    }

    /// Method and redacted URL.
    public func requestLine(for request: HTTPRequest) -> String {
        NetKitError.oneLine("\(request.method.rawValue) \(redacted(request.url))", limit: 400)
    }

    /// A URL for messages that are made where nobody knows which query items are secret: without any.
    static func withoutQuery(_ urlText: String) -> String {
        standard.redacted(urlText: String(Substring(urlText.utf8.prefix { $0 != UInt8(ascii: "?") })))
    }

    package func redacted(urlText: String) -> String {
        // Bytes, not characters: a mark with an accent behind it is a mark all the same.
        var text = urlText.utf8[...]
        if let fragment = text.firstIndex(of: UInt8(ascii: "#")) { text = text[..<fragment] }
        var query: Substring.UTF8View?
        if let mark = text.firstIndex(of: UInt8(ascii: "?")) {
            query = text[text.index(after: mark)...]
            text = text[..<mark]
        }
        var result = maskingUserInfo(Substring(text))
        if let query {
            let items = query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
            result += "?" + items.map { maskingValue(Substring($0)) }.joined(separator: "&")
        }
        return result
    }

    private func maskingUserInfo(_ text: Substring) -> String {
        guard let authority = text.firstRange(of: "//") else { return String(text) }
        let rest = text[authority.upperBound...]
        let end = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        guard let at = rest.utf8[..<end].lastIndex(of: UInt8(ascii: "@")) else { return String(text) }
        return text[..<authority.upperBound] + Self.mask + rest[at...]
    }

    private func maskingValue(_ item: Substring) -> String {
        guard let equals = item.utf8.firstIndex(of: UInt8(ascii: "=")) else { return String(item) }
        let name = item[..<equals]
        let decoded = (String(name).removingPercentEncoding ?? String(name)).lowercased()
        return queryItems.contains(decoded) ? "\(name)=\(Self.mask)" : String(item)
    }
}
