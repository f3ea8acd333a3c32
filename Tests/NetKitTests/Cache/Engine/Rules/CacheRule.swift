import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// A rule of a standard with its section, and how it is shown to hold: over a client with a cache, unless it is about what no
/// transport lets through.
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

    /// - Parameters:
    ///   - section: The section of RFC 9111, or the number of another standard and its section.
    ///   - level: How strict the rule is.
    ///   - words: What a private cache does, or does not do.
    ///   - check: Shows it.
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
    /// Answers every request with its number.
    func always(_ headers: HTTPHeaders, status: HTTPStatus = .ok) {
        answer { number, _ in .text("\(number)", headers, status: status) }
    }

    /// Whether the answer to a first request is used for a second one as well, without a word to the server.
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

    /// Answers 304 with these fields to whoever names the validator, and else a body with those.
    func confirming(_ stored: HTTPHeaders, with newer: HTTPHeaders = [:]) {
        answer { number, request in
            let isAsked = request.headers["If-None-Match"] != nil || request.headers["If-Modified-Since"] != nil
            return isAsked ? .text("", newer, status: 304) : .text("\(number)", stored)
        }
    }
}
