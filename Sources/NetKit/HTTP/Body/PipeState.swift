import Foundation

/// The state of a `BodyPipe`: its waiting bytes, its reader and writer, and its end.
///
/// It has no side effects; the pipe carries out the actions that it returns.
struct PipeState {
    typealias Reader = CheckedContinuation<Data?, any Error>
    typealias Writer = CheckedContinuation<Void, any Error>
    typealias Action = [Effect]

    enum Effect {
        case resumeReader(Reader, Result<Data?, any Error>)
        case resumeWriter(Writer, Result<Void, any Error>)
        case drained
        case cancelled(any Error)
    }

    /// The pace of a reader.
    enum Pace {
        /// The reader waits for the next chunk, and has to be woken.
        case waiting
        /// The reader has received everything that was written, and does not wait yet.
        case reading
        /// The reader has not asked for everything that was written.
        case behind
    }

    enum End {
        case finished(HTTPHeaders)
        case failed(any Error)
        case cancelled(any Error)
    }

    private let maxBytes: Int
    private var chunks = ChunkQueue()
    private var end: End?
    private var reader: Reader?
    private var writer: Writer?
    private var writerPaused = false

    init(maxBytes: Int) { self.maxBytes = maxBytes }

    var pendingBytes: Int { chunks.byteCount }

    var pace: Pace {
        if reader != nil { return .waiting }
        return chunks.byteCount > 0 ? .behind : .reading
    }

    var cancelReason: (any Error)? {
        if case .cancelled(let reason) = end { reason } else { nil }
    }

    var trailers: HTTPHeaders? {
        if case .finished(let trailers) = end { trailers } else { nil }
    }

    mutating func add(_ chunk: Data) -> (action: Action, hasRoom: Bool) {
        guard end == nil else { return ([], cancelReason == nil) }
        if let reader {
            self.reader = nil
            return ([.resumeReader(reader, .success(chunk))], true)
        }
        chunks.append(chunk)
        writerPaused = pendingBytes >= maxBytes
        return ([], !writerPaused)
    }

    mutating func takeReady() -> (result: Result<Data?, any Error>?, action: Action) {
        guard let chunk = chunks.popFirst() else { return (endResult, []) }
        guard writerPaused, pendingBytes <= maxBytes / 2 else { return (.success(chunk), []) }
        writerPaused = false
        return (.success(chunk), releaseWriter(nil) + [.drained])
    }

    mutating func wait(reader: Reader) -> Action {
        let (result, action) = takeReady()
        if let result { return action + [.resumeReader(reader, result)] }
        guard self.reader == nil else {
            let message = "Two tasks read one body at the same time; a body has one reader."
            return [.resumeReader(reader, .failure(NetKitError(.bodyConsumed, message, outcome: .answered)))]
        }
        self.reader = reader
        return action
    }

    mutating func wait(writer: Writer) -> Action {
        if let reason = cancelReason { return [.resumeWriter(writer, .failure(reason))] }
        guard writerPaused, end == nil, self.writer == nil else { return [.resumeWriter(writer, .success(()))] }
        self.writer = writer
        return []
    }

    /// Lets a waiting writer continue, or fails it.
    mutating func releaseWriter(_ error: (any Error)?) -> Action {
        guard let writer else { return [] }
        self.writer = nil
        return [.resumeWriter(writer, error.map { .failure($0) } ?? .success(()))]
    }

    mutating func end(_ end: End) -> Action {
        guard self.end == nil else { return [] }
        self.end = end
        let action = releaseWriter(nil)
        guard let reader, let result = endResult else { return action }
        self.reader = nil
        return action + [.resumeReader(reader, result)]
    }

    mutating func cancel(_ reason: any Error) -> Action {
        if case .cancelled = end { return [] }
        let wasOver = end != nil
        chunks.removeAll()
        end = .cancelled(reason)
        var action = releaseWriter(reason)
        if let reader {
            self.reader = nil
            action.append(.resumeReader(reader, .failure(reason)))
        }
        return wasOver ? action : action + [.cancelled(reason)]
    }

    private var endResult: Result<Data?, any Error>? {
        switch end {
        case nil: nil
        case .finished: .success(nil)
        case .failed(let error), .cancelled(let error): .failure(error)
        }
    }
}
