import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// A rule of a standard with its section, and a check that it holds: over a client with a cache, unless it is about
/// requests that no transport sends.
struct CacheRule: Sendable, CustomTestStringConvertible {
    enum Level: String, Sendable {
        case must
        case mustNot = "must not"
        case should
        case shouldNot = "should not"
        case may
    }

    let section: String
    let level: Level
    let words: String
    let check: @Sendable (CachedClient) async throws -> Void

    /// Creates a rule.
    ///
    /// - Parameters:
    ///   - section: The section of RFC 9111, or the number of another standard and its section.
    ///   - level: How strict the rule is.
    ///   - words: The behavior of a private cache.
    ///   - check: A closure that checks the rule.
    init(
        _ section: String,
        _ level: Level,
        _ words: String,
        _ check: @escaping @Sendable (CachedClient) async throws -> Void
    ) {
        (self.section, self.level, self.words, self.check) = (section, level, words, check)
    }

    var testDescription: String { "\(section): a cache \(level.rawValue) \(words)" }

    static var all: [CacheRule] {
        storing + choosing + freshness + validation + fields + directives + ofHTTP
    }
}

extension CachedClient {
    /// Responds to every request with its number.
    func always(_ headers: HTTPHeaders, status: HTTPStatus = .ok) {
        respond { number, _ in .text("\(number)", headers, status: status) }
    }

    /// Returns whether the response to a first request is used for a second one as well, without contacting the server.
    func reuses(
        _ headers: HTTPHeaders,
        status: HTTPStatus = .ok,
        after seconds: Double = 0,
        asking: HTTPHeaders = [:],
        then: HTTPHeaders? = nil
    ) async throws -> Bool {
        let path = RequestPath(stringLiteral: "/reused-\(sent)")
        always(headers, status: status)
        let first = try await get(path, asking).text
        let before = sent
        time.advance(by: .seconds(seconds))
        return try await get(path, then ?? asking).text == first && sent == before
    }

    /// Responds with 304 and these fields to requests with the validator, and otherwise with a body and those fields.
    func confirming(_ stored: HTTPHeaders, with newer: HTTPHeaders = [:]) {
        respond { number, request in
            let isAsked = request.headers["If-None-Match"] != nil || request.headers["If-Modified-Since"] != nil
            return isAsked ? .text("", newer, status: 304) : .text("\(number)", stored)
        }
    }
}
