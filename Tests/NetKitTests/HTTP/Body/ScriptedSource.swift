import Foundation
import NetKit

/// A source of a body that gives prepared chunks, then ends or fails, and records how it was cancelled.
final class ScriptedSource: ResponseBodySource {
    let cancellations = Notebook<any Error>()
    let reads = Notebook<Int>()
    private let chunks: Locked<[Data]>
    private let error: (any Error)?
    private let endTrailers: HTTPHeaders?

    init(_ chunks: [Data], error: (any Error)? = nil, trailers: HTTPHeaders? = nil) {
        self.chunks = Locked(Array(chunks.reversed()))
        self.error = error
        endTrailers = trailers
    }

    convenience init(_ texts: String..., error: (any Error)? = nil, trailers: HTTPHeaders? = nil) {
        self.init(texts.map { Data($0.utf8) }, error: error, trailers: trailers)
    }

    var trailers: HTTPHeaders? { chunks.withLock { $0.isEmpty } ? endTrailers : nil }

    func next() async throws -> Data? {
        reads.add(1)
        if let reason = cancellations.entries.first { throw reason }
        if let chunk = chunks.withLock({ $0.popLast() }) { return chunk }
        if let error { throw error }
        return nil
    }

    func cancel(_ reason: any Error) {
        cancellations.add(reason)
    }
}
