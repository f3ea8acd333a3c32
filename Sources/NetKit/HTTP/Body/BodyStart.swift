import Foundation

/// The first part of a body, which is the whole body if it fits into a bound.
struct BodyStart {
    /// The bytes that were read; they may exceed the bound by one chunk.
    let data: Data
    /// The whole body again, with the bytes that were read, if it does not fit.
    let rest: ResponseBody?

    init(of body: ResponseBody, upTo limit: Int) async throws {
        // A body that was read already is refused when the rest is read.
        guard body.length.map({ $0 <= Int64(limit) }) ?? true, body.state.take() else {
            (data, rest) = (Data(), body)
            return
        }
        var data = Data()
        while data.count <= limit, let chunk = try await body.state.next() {
            // A slice would keep its own indices, and the caller's `data[0]` would trap.
            if data.isEmpty, chunk.startIndex == 0 { data = chunk } else { data.append(chunk) }
        }
        self.data = data
        rest = data.count <= limit ? nil : ResponseBody(length: body.length, source: Source(data, body))
    }

    /// A source that gives the bytes that were read once more.
    private final class Source: WrappingBodySource {
        private let start: Locked<Data?>
        let body: ResponseBody

        init(_ start: Data, _ body: ResponseBody) {
            self.start = Locked(start)
            self.body = body
        }

        func next() async throws -> Data? {
            if let start = start.withLock({ $0.take() }) { return start }
            return try await body.state.next()
        }
    }
}
