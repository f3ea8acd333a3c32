import Foundation

/// A body on its way to the caller whose first part is kept.
final class HARBodyCopy: ResponseBodySource {
    /// What was read, up to the limit.
    let kept = Kept()
    private let body: ResponseBody
    private let limit: Int

    /// Bytes that outlive the body.
    final class Kept: Sendable {
        private let data = Locked(Data())

        var bytes: Data { data.withLock { $0 } }

        func append(_ chunk: Data, upTo limit: Int) {
            data.withLock { $0.append(chunk.prefix(max(0, limit - $0.count))) }
        }
    }

    init(_ body: ResponseBody, limit: Int) {
        // Nobody else reads it from here on.
        _ = body.state.take()
        self.body = body
        self.limit = limit
    }

    var trailers: HTTPHeaders? { body.trailers }

    func next() async throws -> Data? {
        guard let chunk = try await body.state.next() else { return nil }
        kept.append(chunk, upTo: limit)
        return chunk
    }

    func cancel(_ reason: any Error) { body.cancel(reason) }
}
