public import Foundation

/// The entry that a store keeps under a key.
public struct CacheRecord: Sendable {
    /// The data before the body.
    public let head: CacheHead
    /// The body.
    public let body: CachedBody

    /// Creates a record.
    public init(head: CacheHead, body: CachedBody) {
        self.head = head
        self.body = body
    }
}

/// The body of an entry: bytes, or a stream that can be read more than once.
public struct CachedBody: Sendable {
    /// A closure that starts reading a part.
    public typealias Open = @Sendable (Range<Int64>) throws -> any ResponseBodySource

    private enum Content: Sendable {
        case data(Data)
        case stream(Open)
    }

    private let content: Content
    /// The number of bytes.
    public let length: Int64

    /// A body that is in memory.
    public static func data(_ data: Data) -> CachedBody {
        CachedBody(content: .data(data), length: Int64(data.count))
    }

    /// A body that is read in pieces, from any position; one of negative length counts as unreadable.
    public static func stream(length: Int64, _ open: @escaping Open) -> CachedBody {
        CachedBody(content: .stream(open), length: length)
    }

    /// The bytes, if they are in memory.
    public var data: Data? {
        if case .data(let data) = content { data } else { nil }
    }

    /// Returns a part as the body of a response.
    func response(_ part: Range<Int64>? = nil) throws -> ResponseBody {
        guard length >= 0 else {
            throw NetKitError(.invalidResponse, "The store returned a body whose length is \(length).")
        }
        let part = part.map { $0.clamped(to: 0..<length) } ?? 0..<length
        switch content {
        case .data(let data):
            guard part != 0..<length else { return ResponseBody(data) }
            // A slice would keep the whole body, and indices that do not start at 0.
            return ResponseBody(Data(data.dropFirst(Int(part.lowerBound)).prefix(part.count)))
        case .stream(let open):
            if part.isEmpty { return .empty }
            return try ResponseBody(length: Int64(part.count), source: open(part))
        }
    }
}
