public import Foundation

/// The body of a request: bytes, a file or a part of one, or a stream.
///
/// A body knows its length and whether it can be sent again. Bytes and files can. A stream can only if it is created
/// from a function that starts it again. Retries, redirects and the replay after a token refresh depend on this.
public struct HTTPBody: Sendable {
    let storage: Storage

    /// The media type to send unless the request's headers name one.
    public var contentType: String?

    // Behind one pointer: requests travel through every interceptor, and most have no body.
    indirect enum Storage: Sendable {
        case bytes(Data)
        /// Encoded when the call begins, so that an error surfaces from `send`.
        case deferred(@Sendable (JSONCoder) throws -> Data)
        case file(FileRange)
        case stream(StreamSource)
        /// Several bodies, one after the other.
        case joined([HTTPBody])
    }

    /// A body of bytes.
    public static func data(_ data: Data, contentType: String? = nil) -> HTTPBody {
        HTTPBody(storage: .bytes(data), contentType: contentType)
    }

    /// A body of text in UTF-8.
    public static func text(_ text: String, contentType: String? = "text/plain; charset=utf-8") -> HTTPBody {
        HTTPBody(storage: .bytes(Data(text.utf8)), contentType: contentType)
    }

    /// A body that is made when the call begins; an error of the closure surfaces from `send`.
    public static func deferred(contentType: String? = nil, _ make: @escaping @Sendable () throws -> Data) -> HTTPBody {
        HTTPBody(storage: .deferred { _ in try make() }, contentType: contentType)
    }

    /// A file, or a part of one, read while it is sent.
    public static func file(
        at url: URL,
        offset: Int64 = 0,
        length: Int64? = nil,
        contentType: String? = nil
    ) -> HTTPBody {
        guard url.isFileURL else {
            let scheme = url.scheme ?? "none"
            let message = "A body can only be read from a file URL, not from one with the scheme \"\(scheme)\"."
            return HTTPBody(storage: .deferred { _ in throw NetKitError(.file, message) }, contentType: contentType)
        }
        let range = FileRange(path: url.path(percentEncoded: false), offset: offset, length: length)
        return HTTPBody(storage: .file(range), contentType: contentType)
    }

    /// A stream that can be read once, and so cannot be sent again.
    public static func stream<Chunks: AsyncSequence & Sendable>(
        length: Int64? = nil,
        contentType: String? = nil,
        _ chunks: Chunks
    ) -> HTTPBody where Chunks.Element == Data {
        let source = StreamSource(length: length, isReplayable: false) { DataChunks(base: chunks, outcome: .unknown) }
        return HTTPBody(storage: .stream(source), contentType: contentType)
    }

    /// Returns a stream that a function starts again each time the body has to be sent.
    public static func replayableStream<Chunks: AsyncSequence & Sendable>(
        length: Int64? = nil,
        contentType: String? = nil,
        _ start: @escaping @Sendable () throws -> Chunks
    ) -> HTTPBody where Chunks.Element == Data {
        let source = StreamSource(length: length, isReplayable: true) {
            DataChunks(base: try start(), outcome: .unknown)
        }
        return HTTPBody(storage: .stream(source), contentType: contentType)
    }

    /// The number of bytes, if it is known before reading.
    ///
    /// The length of a whole file is known once the call has begun.
    public var length: Int64? {
        switch storage {
        case .bytes(let data): Int64(data.count)
        case .deferred: nil
        case .file(let range): range.length
        case .stream(let source): source.length
        case .joined(let parts):
            parts.reduce(Int64?.some(0)) { sum, part in
                sum.flatMap { sum in part.length.map { sum.addingSaturated($0) } }
            }
        }
    }

    /// Whether the body can be sent more than once.
    public var canReplay: Bool {
        switch storage {
        case .stream(let source): source.isReplayable
        case .joined(let parts): parts.allSatisfy(\.canReplay)
        case .bytes, .deferred, .file: true
        }
    }

    /// The bytes, if they are in memory.
    public var bytes: Data? {
        if case .bytes(let data) = storage { data } else { nil }
    }

    /// The path of the file that holds the bytes; `nil` if the body is not a file.
    package var filePath: String? { fileRange?.path }

    /// The path and range of the file, if the body is one.
    var fileRange: FileRange? {
        if case .file(let range) = storage { range } else { nil }
    }

    /// The parts of the body, if it consists of several.
    var parts: [HTTPBody]? {
        if case .joined(let parts) = storage { parts } else { nil }
    }

    /// The parts of the body and of its parts, or the body itself if it has none.
    var pieces: [HTTPBody] { parts?.flatMap(\.pieces) ?? [self] }

    /// Returns the body as prepared for sending: with deferred bytes made, and the file checked.
    func prepared(json: JSONCoder = .standard) throws(NetKitError) -> HTTPBody {
        switch storage {
        case .bytes, .stream:
            if let length, length < 0 {
                throw NetKitError(
                    .invalidRequest,
                    "The length of the body stream is negative (\(length)). Leave it out if it is unknown."
                )
            }
            return self
        case .deferred(let make):
            do {
                return HTTPBody(storage: .bytes(try make(json)), contentType: contentType)
            } catch let error as NetKitError {
                throw error
            } catch {
                throw NetKitError(
                    .encoding,
                    "The body could not be encoded: \(EncodingProblem.text(of: error)).",
                    cause: error
                )
            }
        case .file(let range):
            return HTTPBody(storage: .file(try range.settled()), contentType: contentType)
        case .joined(let parts):
            var prepared: [HTTPBody] = []
            for part in parts { prepared.append(try part.prepared(json: json)) }
            return HTTPBody(storage: .joined(prepared), contentType: contentType)
        }
    }
}

/// Describes where encoding failed, without the value and without a period.
enum EncodingProblem {
    static func text(of error: any Error) -> String {
        guard case EncodingError.invalidValue(_, let context)? = error as? EncodingError else {
            return "\(type(of: error))"
        }
        let path = context.codingPath.map(\.stringValue).joined(separator: ".")
        let reason = context.debugDescription
        return (path.isEmpty ? "" : "\(path): ") + (reason.hasSuffix(".") ? String(reason.dropLast()) : reason)
    }
}

/// A sequence of chunks with an erased failure type, for sequences that can fail and for those that cannot.
struct DataChunks<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable where Base.Element == Data {
    typealias Failure = any Error

    let base: Base
    /// The outcome of the exchange if the sequence fails by itself.
    let outcome: NetKitError.Outcome

    func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator(), outcome: outcome) }

    struct Iterator: AsyncIteratorProtocol {
        var base: Base.AsyncIterator
        let outcome: NetKitError.Outcome

        mutating func next() async throws -> Data? {
            do {
                return try await base.next(isolation: nil)
            } catch {
                throw ErrorBoundary.failure(error, of: "The stream of a body", isStopped: false, outcome: outcome)
            }
        }
    }
}

/// The source of the chunks of a streamed request body, which may be able to start again.
final class StreamSource: Sendable {
    let length: Int64?
    let isReplayable: Bool
    private let start: @Sendable () throws -> any AsyncSequence<Data, any Error> & Sendable
    private let wasStarted = Locked(false)

    init(
        length: Int64?,
        isReplayable: Bool,
        _ start: @escaping @Sendable () throws -> any AsyncSequence<Data, any Error> & Sendable
    ) {
        self.length = length
        self.isReplayable = isReplayable
        self.start = start
    }

    func begin() throws -> any AsyncSequence<Data, any Error> & Sendable {
        let isSecond = wasStarted.withLock { exchange(&$0, with: true) }
        guard isReplayable || !isSecond else {
            let hint = "Use HTTPBody.replayableStream to make one that can be sent again."
            throw NetKitError(.bodyConsumed, "The request's body stream was already read. \(hint)")
        }
        do {
            return try start()
        } catch {
            throw ErrorBoundary.failure(error, of: "The stream of a body", isStopped: false, outcome: .unknown)
        }
    }
}
