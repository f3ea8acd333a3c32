public import Foundation

/// The rules for redacting sensitive values, which never appear in logs, errors, exports or on disk.
///
/// A value is secret because of its name. A name is secret if it is listed, or if it matches a pattern and is not
/// listed as public:
///
/// ```swift
/// configuration.redaction.headerNames.insert("x-account")
/// configuration.redaction.publicHeaderNames.insert("x-layout-token")
/// ```
/// The patterns match the end of a name, without regard to case and to `-`, `_` and `.` between words: `*-token`,
/// `*-secret`, `*-signature`, `*-password`, `*-session`, `*-authorization`, `*-credential`, `*-cookie`, `*-jwt`,
/// `*-api-key`, `*-access-key` and similar ones, and `*-key` for header fields. Names such as `Idempotency-Key`,
/// `Sec-WebSocket-Key` and `Lock-Token` are known to be public, and so are the positions of pages: `page_token`,
/// `next_token`, `continuation-token`.
public struct Redaction: Sendable, Hashable {
    private var secretHeaders: NameSet
    private var secretItems: NameSet
    private var publicHeaders = NameSet([])
    private var publicItems = NameSet([])

    /// The names of header fields whose values are secret, kept in lower case.
    ///
    /// They are also the fields that do not follow a redirect to another origin, and that separate responses in a
    /// cache. They are secret in addition to the names that match a pattern, and even if `publicHeaderNames` has them.
    public var headerNames: Set<String> {
        get { secretHeaders.names }
        set { secretHeaders = NameSet(newValue) }
    }

    /// The names of query items whose values are secret, kept in lower case.
    ///
    /// They are secret in addition to the names that match a pattern, and even if `publicQueryItems` has them.
    public var queryItems: Set<String> {
        get { secretItems.names }
        set { secretItems = NameSet(newValue) }
    }

    /// The names of header fields that match a pattern and are not secret, kept in lower case.
    ///
    /// Empty by default. A field that is named here is shown, is written to disk, follows redirects to other origins,
    /// and no longer separates responses in a cache.
    public var publicHeaderNames: Set<String> {
        get { publicHeaders.names }
        set { publicHeaders = NameSet(newValue) }
    }

    /// The names of query items that match a pattern and are not secret, kept in lower case.
    ///
    /// Empty by default.
    public var publicQueryItems: Set<String> {
        get { publicItems.names }
        set { publicItems = NameSet(newValue) }
    }

    /// Whether names that match a pattern are secret too.
    ///
    /// The value is `true` in ``standard``, and `false` by default in a redaction that is created from names.
    public var usesPatterns: Bool

    /// Creates a redaction from names, without regard to case.
    ///
    /// - Parameters:
    ///   - headerNames: Names of secret header fields.
    ///   - queryItems: Names of secret query items.
    ///   - usesPatterns: Whether names that match a pattern are secret too.
    public init(headerNames: Set<String>, queryItems: Set<String>, usesPatterns: Bool = false) {
        secretHeaders = NameSet(headerNames)
        secretItems = NameSet(queryItems)
        self.usesPatterns = usesPatterns
    }

    /// The default rules: the patterns, and the usual names of credentials that no pattern matches.
    public static let standard = Redaction(
        headerNames: [
            "cookie2", "x-honeycomb-team", "x-firebase-appcheck", "x-wsse", "x-amzn-oidc-data",
            "x-ms-client-principal", "x-ms-authorization-auxiliary", "x-forwarded-client-cert", "x-sid", "sid",
            "authentication-info", "proxy-authentication-info",
        ],
        queryItems: [
            "key", "pass", "pwd", "sig", "sid", "code", "code_verifier", "oauth_verifier", "device_code", "user_code",
            "id_token_hint", "login_ticket", "samlart",
        ],
        usesPatterns: true
    )

    /// The text in place of a sensitive value.
    public static let mask = "***"

    // Not inlined into the many loops over fields, each of which would have the comparison of names.

    /// Returns whether the value of a header field is secret.
    @inline(never)
    public func isSensitive(header name: String) -> Bool {
        if secretHeaders.contains(name) { return true }
        return usesPatterns && SecretNamePattern.matches(header: name) && !publicHeaders.contains(name)
    }

    /// Returns whether the value of a query item is secret.
    ///
    /// The name has to be percent-decoded.
    @inline(never)
    public func isSensitive(queryItem name: String) -> Bool {
        if secretItems.contains(name) { return true }
        return usesPatterns && SecretNamePattern.matches(name) && !publicItems.contains(name)
    }

    /// Returns the header fields with secret values masked, and also the secret parts of URLs in other values.
    public func redacted(_ headers: HTTPHeaders) -> HTTPHeaders {
        HTTPHeaders(headers.fields.map { .init($0.name, redacted($0)) })
    }

    /// Returns whether the value of a field that is not secret itself has a URL with a secret in it.
    func hasSecretURL(_ field: HTTPHeaders.Field) -> Bool {
        mayHaveSecretURL(field.value) && redacted(field) != field.value
    }

    private static let namesOfURLs = NameSet([
        "location", "content-location", "referer", "link", "refresh", "destination",
    ])

    /// Returns the value of a field, masked if it is secret, or else with the secret parts of URLs masked.
    func redacted(_ field: HTTPHeaders.Field) -> String {
        if isSensitive(header: field.name) { return Self.mask }
        guard mayHaveSecretURL(field.value) else { return field.value }
        return redacted(urlsIn: field.value, dropsFragment: Self.namesOfURLs.contains(field.name))
    }

    /// Returns a text with the secret parts of its URLs masked.
    package func redacted(urlsIn value: String, dropsFragment: Bool = false) -> String {
        // A value may have several URLs, which end at blanks, quotation marks and angle brackets.
        let text = redacted(urlsIn: value, endingAtApostrophes: false, dropsFragment: dropsFragment)
        // An apostrophe may be a part of a URL, or enclose one.
        guard text.utf8.contains(UInt8(ascii: "'")) else { return text }
        return redacted(urlsIn: text, endingAtApostrophes: true, dropsFragment: dropsFragment)
    }

    private func redacted(urlsIn value: String, endingAtApostrophes: Bool, dropsFragment: Bool) -> String {
        var (result, rest) = ("", value.utf8[...])
        while !rest.isEmpty {
            let end = rest.indices.first { Self.isBorder(rest[$0...], endingAtApostrophes) } ?? rest.endIndex
            let text = String(Substring(rest[..<end]))
            result += redacted(urlText: text, dropsFragment: dropsFragment)
            guard end < rest.endIndex else { break }
            let next = rest.index(after: end)
            result += Substring(rest[end..<next])
            rest = rest[next...]
        }
        return result
    }

    /// Returns whether there is a character that a URL with a secret has: the mark of a query, a fragment or user info.
    private func mayHaveSecretURL(_ value: String) -> Bool {
        value.utf8.contains { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "#") }
    }

    private static func isBorder(_ rest: Substring.UTF8View, _ isApostropheBorder: Bool) -> Bool {
        switch rest.first {
        // A comma is part of a URL, unless another one begins after it.
        case UInt8(ascii: ","): rest.starts(with: ",http".utf8)
        case UInt8(ascii: "'"): isApostropheBorder
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"): true
        default: false
        }
    }

    /// Returns the URL as text, with user info and secret query items masked, and without its fragment.
    public func redacted(_ url: URL) -> String { redacted(urlText: url.absoluteString) }

    /// Returns the method and the redacted URL.
    public func requestLine(for request: HTTPRequest) -> String {
        NetKitError.oneLine("\(request.method.rawValue) \(redacted(urlText: request.targetForMessage))", limit: 400)
    }

    /// Returns a URL without query items, for messages about a URL whose secret query items are unknown.
    static func withoutQuery(_ urlText: String) -> String {
        String(Substring(standard.redacted(urlText: urlText).utf8.prefix { $0 != UInt8(ascii: "?") }))
    }

    package func redacted(urlText: String, dropsFragment: Bool = true) -> String {
        // Bytes, not characters: a mark counts even if a combining accent follows it.
        let userInfo = Self.userInfo(in: urlText.utf8[...])
        var text = urlText.utf8[(userInfo?.upperBound ?? urlText.startIndex)...]
        var (query, fragment): (Substring.UTF8View?, Substring.UTF8View?)
        if let mark = text.firstIndex(of: UInt8(ascii: "#")) {
            fragment = text[text.index(after: mark)...]
            text = text[..<mark]
        }
        if let mark = text.firstIndex(of: UInt8(ascii: "?")) {
            query = text[text.index(after: mark)...]
            text = text[..<mark]
        }
        var result = (userInfo.map { urlText[..<$0.lowerBound] + Self.mask } ?? "") + Substring(text)
        if let query { result += "?" + maskingValues(query) }
        if let fragment, !dropsFragment { result += "#" + maskingValues(fragment) }
        return result
    }

    /// Returns the items of a query or a form with secret values masked.
    func maskingValues(_ items: Substring.UTF8View) -> String {
        items.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
            .map { maskingValue(Substring($0)) }
            .joined(separator: "&")
    }

    /// Returns the place of the user and the password in a URL; `nil` if there are none.
    ///
    /// If a slash or another mark in a password ends the authority, the authority has no valid port.
    private static func userInfo(in text: Substring.UTF8View) -> Range<String.Index>? {
        let head = text.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        guard text.contains(UInt8(ascii: "@")), let slashes = head.firstRange(of: "//".utf8) else { return nil }
        let rest = text[slashes.upperBound...]
        let authority = head[slashes.upperBound...].prefix { $0 != UInt8(ascii: "/") }
        let port = authority.lastIndex(of: UInt8(ascii: ":")).map { Substring(authority[$0...].dropFirst()) } ?? ""
        let isValid = port.isEmpty || port.hasSuffix("]") || UInt16(digits: port) != nil
        let at = (isValid || authority.contains(UInt8(ascii: "@")) ? authority : rest).lastIndex(of: UInt8(ascii: "@"))
        return at.map { slashes.upperBound..<$0 }
    }

    private func maskingValue(_ item: Substring) -> String {
        guard let equals = item.utf8.firstIndex(of: UInt8(ascii: "=")) else { return String(item) }
        let name = String(item[..<equals])
        let decoded = name.utf8.contains(UInt8(ascii: "%")) ? name.removingPercentEncoding ?? name : name
        return isSensitive(queryItem: decoded) ? "\(name)=\(Self.mask)" : String(item)
    }
}

extension HTTPHeaders {
    /// Returns the fields that are not secret according to any of several rules.
    func withoutSecrets(of redactions: [Redaction]) -> HTTPHeaders {
        HTTPHeaders(fields.filter { field in !redactions.contains { $0.isSensitive(header: field.name) } })
    }
}

/// A set of names without regard to case; most lookups create no string.
struct NameSet: Sendable, Hashable {
    /// The names in lower case.
    let names: Set<String>
    /// The sorted hashes of their bytes: most names that are not in the set are refused by their hash alone.
    private let hashes: [Int64]

    init(_ names: Set<String>) {
        self.names = Set(names.map { $0.lowercased() })
        hashes = self.names.map { Self.hash($0).value }.orderedByNumber(\.self)
    }

    /// Returns whether a name is in the set.
    func contains(_ name: String) -> Bool {
        guard !hashes.isEmpty else { return false }
        let hash = Self.hash(name)
        // Letters beyond ASCII have a case of their own.
        guard !hash.isASCII || isListed(hash.value) else { return false }
        return names.contains(name.lowercased())
    }

    private func isListed(_ hash: Int64) -> Bool {
        let index = hashes.firstIndexOfSorted { $0 >= hash }
        return index < hashes.count && hashes[index] == hash
    }

    /// Returns the FNV-1a hash of the bytes in lower case.
    private static func hash(_ name: String) -> (value: Int64, isASCII: Bool) {
        var (value, all) = (0xCBF2_9CE4_8422_2325 as UInt64, 0 as UInt8)
        for byte in name.utf8 {
            all |= byte
            value = (value ^ UInt64(byte.lowercasedASCII)) &* 0x100_0000_01B3
        }
        return (Int64(bitPattern: value), all < 0x80)
    }
}

extension NetKitError {
    /// Returns the same error with the URL to which redirects led, because the request line is that of the call.
    func adding(redirects hops: [RedirectHop]) -> NetKitError {
        guard let url = hops.last?.to else { return self }
        // Messages are kept with entries of a queue, and the server may have put secrets into the query.
        let place = NetKitError.oneLine(Redaction.withoutQuery(url.absoluteString), limit: 200)
        return adding("The request was redirected to \(place).")
    }
}
