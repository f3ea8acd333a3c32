import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of nonsense in every field that a cache reads: nothing traps, and the invariants hold.
///
/// `NETKIT_FUZZ=100000` sets the amount.
struct CacheFuzzTests {
    private static let count = ProcessInfo.processInfo.environment["NETKIT_FUZZ"].flatMap(Int.init) ?? 3000

    private static let names = [
        "Cache-Control", "Age", "Expires", "Date", "Last-Modified", "ETag", "Vary", "Connection", "Pragma",
        "Content-Length",
        "Content-Location", "Location", "Range", "If-Range", "If-None-Match", "If-Modified-Since", "If-Match", "X-A",
    ]
    private static let pieces = [
        "max-age=", "no-store", "no-cache", "no-cache=\"", "must-revalidate", "stale-if-error=", "max-stale",
        "min-fresh=",
        "only-if-cached", "immutable", "must-understand", "stale-while-revalidate=", "public", "=", ",", ";", "\"",
        "\\",
        " ", "\t", "-1", "0", "60", "99999999999999999999999999", "1.5", "1e9", "NaN", "*", "W/\"1\"", "\"1\"",
        "bytes=",
        "0-", "-5", "9223372036854775807", "Sun, 06 Nov 1994 08:49:37 GMT", "Fri, 31 Dec 9999 23:59:60 GMT", "x-a", "é",
        "\u{0}", "\u{FFFD}", "//b.example/", "/x", "?", "%", "Sunday, 06-Nov-94 08:49:37 GMT",
    ]

    private static func headers(_ random: inout RandomSource) -> HTTPHeaders {
        var headers = HTTPHeaders()
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            let name = names.randomElement(using: &random) ?? ""
            var value = ""
            for _ in 0..<Int.random(in: 0...5, using: &random) { value += pieces.randomElement(using: &random) ?? "" }
            headers.add(name, value)
        }
        return headers
    }

    private static let policies: [CachePolicy] = [
        .standard, .noCache, .cacheOnly, .cacheFirst, .networkFirst, .reload, .standard.lasting(.seconds(-5)),
        .cacheFirst.lasting(.seconds(Int64.max)), .cacheOnly.lasting(.zero),
    ]

    @Test func nonsenseBreaksNoInvariant() {
        var random = RandomSource.seeded(5)
        let dates = [-1e15, -1, 0, 1, 1e4, 1e15].map { cacheStart.addingTimeInterval($0) }
        for _ in 0..<Self.count {
            let (asking, headers) = (Self.headers(&random), Self.headers(&random))
            let policy = Self.policies.randomElement(using: &random) ?? .standard
            let status = HTTPStatus(Int.random(in: -5...1000, using: &random))
            var exchange = CacheEngine.Exchange.test(headers, status: status, asking: asking, policy: policy)
            exchange.requestDate = dates.randomElement(using: &random) ?? cacheStart
            let verdict = CacheEngine.judge(exchange)
            let stored = StoredResponse.test(headers, status: status, ttl: policy.ttl?.inSeconds)
            #expect(stored.age(at: cacheStart) >= 0 && stored.age(at: cacheStart).isFinite)
            #expect(stored.life.seconds >= 0)
            let cacheRequest = CacheRequest(method: .get, headers: asking)
            for now in dates {
                let decision = CacheEngine.decide(now: now, cacheRequest: cacheRequest, stored: stored, policy: policy)
                if case .use(let freshness) = decision, freshness != .fresh {
                    #expect(!stored.control.mustRevalidate && !stored.control.noCache)
                }
                _ = CacheEngine.isNotModified(cacheRequest, stored, now: now)
            }
            if let response = verdict.response {
                #expect(!response.control.noStore || response.control.mustUnderstand)
                #expect(!cacheRequest.control.noStore && policy.kind != .noCache && status != .notModified)
                let stored = CacheHead(encoded: CacheHead(.response(response)).encoded)?.response
                #expect(stored?.headers == response.headers)
            }
            if let range = asking["Range"], case .part(let part) = ByteRange.reading(range, length: 10) {
                #expect(part.lowerBound >= 0 && part.upperBound <= 10 && !part.isEmpty)
            }
        }
    }

    /// The same through a client: the same request gets the same bytes, or the server's newer ones, and never fails.
    @Test(.timeLimit(.minutes(5))) func nonsenseFailsNoCall() async throws {
        let folder = try TemporaryFolder()
        let numbers = Shared(RandomSource.seeded(6))
        for store in [MemoryCacheStore(maxBytes: 1 << 20) as any CacheStore, DiskCacheStore(directory: folder.url)] {
            let it = CachedClient(AnyCacheStore(store))
            it.transport.stub(
                nil,
                "**",
                .respond { request, _ in
                    let headers = numbers.withLock { Self.headers(&$0) }
                    let sent = HTTPHeaders(headers.fields.filter { $0.value.utf8.allSatisfy { $0 >= 32 && $0 < 127 } })
                    let isConfirmed = request.headers["If-None-Match"] != nil && headers.count % 2 == 0
                    return .text(isConfirmed ? "" : request.url.path, sent, status: isConfirmed ? 304 : 200)
                }
            )
            for number in 0..<Self.count / 10 {
                let path = "/\(number % 20)"
                let response = try await it.get(RequestPath(stringLiteral: path), isStreamed: number % 2 == 0)
                #expect(response.text == "/v1" + path)
                if number % 50 == 0 { it.time.advance(by: .seconds(number)) }
            }
        }
    }
}
