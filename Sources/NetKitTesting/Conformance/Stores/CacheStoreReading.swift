import Foundation
import NetKit

/// A read of the body of a record: directly for bytes, and through a cache for a stream.
struct CacheStoreReading {
    private var chunks: ResponseBody.Iterator
    private var isOver = false
    /// The bytes read so far.
    private(set) var bytes = Data()
    /// The record, which is retained while its body is read.
    private let client: HTTPClient?

    /// Begins to read a body or a part of it.
    init(_ record: CacheRecord, part: Range<Int>? = nil) async throws {
        let body: ResponseBody
        if let data = record.body.data {
            // The case itself must not fail because of a slice with another start index.
            body = ResponseBody(part.map { Data(data.dropFirst($0.lowerBound).prefix($0.count)) } ?? Data(data))
            client = nil
        } else {
            let client = Self.client(for: record.body)
            body = try await Self.open(part, client)
            self.client = client
        }
        chunks = body.makeAsyncIterator()
    }

    /// Reads the next chunk.
    mutating func step() async throws {
        guard let chunk = try await chunks.next() else {
            isOver = true
            return
        }
        bytes.append(chunk)
    }

    /// Reads to the end and returns all bytes.
    mutating func rest() async throws -> Data {
        while !isOver { try await step() }
        return bytes
    }

    private static func client(for body: CachedBody) -> HTTPClient {
        let store = OneBodyStore(record: CacheRecord(head: .response(0), body: body))
        var configuration = HTTPClient.Configuration()
        configuration.timeouts = .none
        configuration.clock = TestClock(date: CacheHead.trialDate).clock
        return HTTPClient(
            transport: MockTransport(),
            interceptors: [CacheInterceptor(store, policy: .cacheOnly)],
            configuration: configuration
        )
    }

    private static func open(_ part: Range<Int>?, _ client: HTTPClient) async throws -> ResponseBody {
        guard let url = URL(string: "https://store.example/") else { return .empty }
        var headers = HTTPHeaders()
        if let part { headers["Range"] = "bytes=\(part.lowerBound)-\(part.upperBound - 1)" }
        let request = HTTPRequest(.get, url, headers: headers)
        return try await client.send(request, options: CallOptions(delivery: .streamed)).body
    }
}

/// A reader, which must not be shared between tasks.
@available(*, unavailable)
extension CacheStoreReading: Sendable {}

/// A store with one entry for all keys.
private struct OneBodyStore: CacheStore {
    let secret = CacheHashKey()
    let record: CacheRecord

    func read(_ key: CacheKey) -> CacheRecord? { record }

    func token(for key: CacheKey) -> CacheWriteToken { CacheWriteToken(number: 1) }

    func write(_ key: CacheKey, _ head: CacheHead, length: Int64?, token: CacheWriteToken?) -> (any CacheWriter)? {
        nil
    }

    func write(_ key: CacheKey, _ head: CacheHead, body: Data, token: CacheWriteToken?) -> Bool { false }

    func update(_ key: CacheKey, _ head: CacheHead, token: CacheWriteToken?) {}

    func remove(_ key: CacheKey, token: CacheWriteToken?) {}

    func invalidate(_ resource: CacheResource) {}

    func removeAll() {}

    var statistics: CacheStoreStatistics { CacheStoreStatistics(entryCount: 1) }
}
