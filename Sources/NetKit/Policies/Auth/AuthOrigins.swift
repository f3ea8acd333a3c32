public import Foundation

/// The servers to which a credential may be sent, by scheme, host and port.
///
/// ```swift
/// AuthInterceptor(tokens)                                                        // the client's base URL only
/// AuthInterceptor(tokens, origins: ["https://api.example.com"])
/// AuthInterceptor(tokens, origins: .baseURL.adding("https://uploads.example.com"))
/// ```
public struct AuthOrigins: Sendable, Hashable, ExpressibleByArrayLiteral {
    private var includesBase = false
    private var isAny = false
    private var listed: [OriginMatcher] = []
    private var unreadable: [String] = []

    private init() {}

    /// Creates a list of origins from URLs, whose paths do not matter.
    ///
    /// A text that is not a valid URL adds no origin, and `explain()` reports it.
    public init(arrayLiteral urls: String...) { self.init(urls) }

    /// Creates a list of origins from URLs, whose paths do not matter.
    public init(_ urls: [String]) { add(urls) }

    /// The origin of the client's base URL.
    public static let baseURL: AuthOrigins = {
        var origins = AuthOrigins()
        origins.includesBase = true
        return origins
    }()

    /// Every origin.
    ///
    /// Each server that a request reaches, even after a redirect, gets the credential.
    public static let any: AuthOrigins = {
        var origins = AuthOrigins()
        origins.isAny = true
        return origins
    }()

    /// Returns these origins and those of further URLs.
    public func adding(_ urls: String...) -> AuthOrigins {
        var origins = self
        origins.add(urls)
        return origins
    }

    /// Returns whether a URL belongs to one of the origins, given the client's base URL.
    public func contains(_ url: URL, baseURL: URL?) -> Bool {
        contains(url, base: baseURL.flatMap { OriginMatcher($0) })
    }

    func contains(_ url: URL, base: OriginMatcher?) -> Bool {
        if isAny { return true }
        if includesBase, let base, base.matches(url) { return true }
        return listed.contains { $0.matches(url) }
    }

    private mutating func add(_ urls: [String]) {
        for text in urls {
            guard let url = URL(text: text), RequestValidation.problem(ofURL: url) == nil,
                let matcher = OriginMatcher(url)
            else {
                unreadable.append(text)
                continue
            }
            listed.append(matcher)
        }
    }

    /// The origins in words.
    var summary: String {
        if isAny { return "every origin" }
        let names = (includesBase ? ["the base URL's origin"] : []) + listed.map(\.text)
        return names.isEmpty ? "no origin" : names.joined(separator: ", ")
    }

    /// Returns warnings about origins that conflict with the client's base URL.
    func warnings(baseURL: URL?) -> [String] {
        if isAny {
            return [
                "The credential goes to every origin, including those of redirects. Name the origins it belongs to."
            ]
        }
        var warnings = unreadable.map {
            "The origin \"\($0)\" of the credential is not a URL with a scheme and a host. Write it like https://example.com."
        }
        let known = known(baseURL: baseURL)
        if known.isEmpty {
            warnings.append(
                "The credential is never sent: there is no origin for it. Give the client a base URL, or name the origins."
            )
        }
        for matcher in known where matcher.origin.scheme == "http" && !Self.isLoopback(matcher.origin.host) {
            warnings.append("The credential goes to \(matcher.text) unencrypted. Use https.")
        }
        return warnings
    }

    /// Returns whether some URL belongs to both lists.
    func overlaps(_ other: AuthOrigins, baseURL: URL?) -> Bool {
        if isAny || other.isAny { return true }
        return !Set(known(baseURL: baseURL)).isDisjoint(with: other.known(baseURL: baseURL))
    }

    private func known(baseURL: URL?) -> [OriginMatcher] {
        (includesBase ? baseURL.flatMap { OriginMatcher($0) }.map { [$0] } ?? [] : []) + listed
    }

    private static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host.hasSuffix(".localhost") || host.hasPrefix("127.") || host == "::1"
            || host == "[::1]"
    }
}
