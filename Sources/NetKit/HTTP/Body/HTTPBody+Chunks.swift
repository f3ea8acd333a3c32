public import Foundation

extension HTTPBody {
    /// The body's bytes in pieces, for authors of transports.
    ///
    /// A declared length is enforced: a stream that turns out shorter or longer ends with an error, and so does a file
    /// that becomes shorter. The last of the announced bytes come once the stream has ended, so that no server gets
    /// the beginning of a longer one as the whole. A file that grows is read up to the length that it had when the call
    /// began. If another file of a different size has taken its place since, that is an error.
    public var chunks: Chunks { Chunks(body: self) }

    /// Reads all bytes of the body into memory.
    package func collected() async throws -> Data {
        if let bytes { return bytes }
        var collected = Data()
        for try await chunk in chunks { collected.append(chunk) }
        return collected
    }

    /// An asynchronous sequence of a body's bytes.
    public struct Chunks: AsyncSequence, Sendable {
        /// The type of errors: those of the stream, or one about a wrong length.
        public typealias Failure = any Error

        let body: HTTPBody

        /// Returns an iterator; a stream that cannot be replayed throws `.bodyConsumed` on the second read.
        public func makeAsyncIterator() -> Iterator { Iterator(body: body) }

        /// An iterator over the bytes of a body.
        public struct Iterator: AsyncIteratorProtocol {
            static let fileChunkSize = 256 << 10

            private indirect enum Position {
                case start(HTTPBody)
                case file(FileRange, OpenFile, Int64)
                case stream(any AsyncIteratorProtocol<Data, any Error>, remaining: Int64?)
                case parts(Iterator, rest: ArraySlice<HTTPBody>)
                case end
            }

            private var position: Position

            init(body: HTTPBody) { position = .start(body) }

            /// Returns the next piece, never empty; `nil` at the end.
            public mutating func next() async throws -> Data? {
                switch position {
                case .end: return nil
                case .start(let body): return try await begin(body)
                case .file(let range, let file, let offset): return try readFile(range, file, offset)
                case .stream(let iterator, let remaining): return try await readStream(iterator, remaining)
                case .parts(let part, let rest):
                    do {
                        return try await readParts(part, rest)
                    } catch let error as NetKitError {
                        // The parts before it may have been sent.
                        throw error.outcome == .notSent ? error.with(outcome: .unknown) : error
                    }
                }
            }

            private mutating func begin(_ body: HTTPBody) async throws -> Data? {
                position = .end
                switch body.storage {
                case .bytes(let data):
                    return data.isEmpty ? nil : data
                case .deferred(let make):
                    let data = try make(.standard)
                    return data.isEmpty ? nil : data
                case .file(let range):
                    let settled = try range.settled()
                    return try readFile(settled, try settled.fileSystem.openForReading(settled.path), settled.offset)
                case .stream(let source):
                    return try await readStream(source.begin().makeAsyncIterator(), source.length)
                case .joined(let parts):
                    guard let first = parts.first else { return nil }
                    return try await readParts(Iterator(body: first), parts.dropFirst())
                }
            }

            private mutating func readParts(_ part: Iterator, _ rest: ArraySlice<HTTPBody>) async throws -> Data? {
                position = .end
                var (part, rest) = (part, rest)
                while true {
                    if let chunk = try await part.next() {
                        position = .parts(part, rest: rest)
                        return chunk
                    }
                    guard let next = rest.popFirst() else { return nil }
                    part = Iterator(body: next)
                }
            }

            private mutating func readFile(_ range: FileRange, _ file: OpenFile, _ offset: Int64) throws -> Data? {
                position = .end
                let end = range.offset.addingSaturated(range.length ?? 0)
                let wanted = Int(Swift.min(Int64(Self.fileChunkSize), end - offset))
                guard wanted > 0 else { return nil }
                var chunk = Data(count: wanted)
                let count = try chunk.withUnsafeMutableBytes { buffer in
                    try range.fileSystem.read(file, into: buffer, at: offset)
                }
                guard count > 0 else {
                    throw NetKitError(
                        .file,
                        "\"\(range.path)\" became shorter while it was being sent.",
                        outcome: .unknown
                    )
                }
                if count < wanted { chunk.removeLast(wanted - count) }
                position = .file(range, file, offset + Int64(count))
                return chunk
            }

            private mutating func readStream(
                _ iterator: any AsyncIteratorProtocol<Data, any Error>,
                _ remaining: Int64?
            ) async throws -> Data? {
                position = .end
                var iterator = iterator
                do {
                    while true {
                        guard let chunk = try await iterator.next(isolation: nil) else {
                            if let remaining, remaining > 0 { throw Self.wrongLength("\(remaining) bytes short of") }
                            return nil
                        }
                        guard !chunk.isEmpty else { continue }
                        let left = remaining.map { $0.subtractingSaturated(Int64(chunk.count)) }
                        if let left, left < 0 { throw Self.wrongLength("longer than") }
                        guard left == 0 else {
                            position = .stream(iterator, remaining: left)
                            return chunk
                        }
                        // A transport with all announced bytes asks for no more, and the request would be complete.
                        while let extra = try await iterator.next(isolation: nil) {
                            guard extra.isEmpty else { throw Self.wrongLength("longer than") }
                        }
                        return chunk
                    }
                } catch {
                    throw Self.failure(error)
                }
            }

            /// Returns the error of a stream as one of this request.
            ///
            /// The stream may be the response to another call, whose failure says nothing about the server of this one.
            private static func failure(_ error: any Error) -> any Error {
                guard let known = error as? NetKitError, known.requestLine != nil else { return error }
                return known.ofOtherCall(outcome: .unknown)
            }

            private static func wrongLength(_ how: String) -> NetKitError {
                NetKitError(
                    .invalidRequest,
                    "The request's body stream is \(how) its declared length. Declare the right length, or none.",
                    outcome: .unknown
                )
            }
        }
    }
}

/// An iterator must not be shared between tasks.
@available(*, unavailable)
extension HTTPBody.Chunks.Iterator: Sendable {}
