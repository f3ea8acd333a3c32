import Foundation

extension ResponseBody {
    /// The lines of the body, as UTF-8; lines end with LF or CR LF, and empty ones are kept.
    ///
    /// A line of more than 1 MiB throws `.bodyTooLarge`; `lines(upTo:)` sets another bound.
    public var lines: Lines { lines(upTo: 1 << 20) }

    /// Returns the lines of the body, with a bound on the length of one line in bytes.
    public func lines(upTo limit: Int) -> Lines { Lines(body: self, limit: limit) }

    /// The lines of a body.
    public struct Lines: AsyncSequence, Sendable {
        /// The type of errors: `NetKitError` or `CancellationError`.
        public typealias Failure = any Error

        let body: ResponseBody
        let limit: Int

        /// Starts the only read.
        public func makeAsyncIterator() -> Iterator {
            Iterator(chunks: body.makeAsyncIterator(), limit: limit)
        }

        /// An iterator over the lines of a body.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate var chunks: ResponseBody.Iterator
            fileprivate let limit: Int
            fileprivate var chunk = Data()
            fileprivate var partial = Data()
            fileprivate var isOver = false

            /// Returns the next line without its end; `nil` after the last.
            public mutating func next() async throws -> String? {
                try await nextBytes().map { String(decoding: $0, as: UTF8.self) }
            }

            /// Returns the bytes of the next line, which may not be UTF-8.
            mutating func nextBytes() async throws -> Data? {
                while !isOver {
                    if let newline = chunk.firstIndex(of: UInt8(ascii: "\n")) {
                        let end = chunk[chunk.startIndex..<newline]
                        chunk = chunk[chunk.index(after: newline)...]
                        return try line(endingWith: end)
                    }
                    try keep(chunk)
                    chunk = Data()
                    guard let next = try await chunks.next() else {
                        isOver = true
                        return partial.isEmpty ? nil : try line(endingWith: Data())
                    }
                    chunk = next
                }
                return nil
            }

            /// Stores the start of an incomplete line.
            private mutating func keep(_ start: Data) throws {
                try check(start)
                partial.append(start)
            }

            private mutating func line(endingWith end: Data) throws -> Data {
                try check(end)
                // Nearly all lines lie within one chunk.
                if partial.isEmpty { return Self.withoutReturn(end) }
                partial.append(end)
                defer { partial = Data() }
                return Self.withoutReturn(partial)
            }

            /// Throws if a line with these bytes at its end is too long; a CR at the end is not counted.
            private mutating func check(_ end: Data) throws {
                let last = end.last ?? partial.last
                let length = partial.count + end.count - (last == UInt8(ascii: "\r") ? 1 : 0)
                guard length <= limit else {
                    isOver = true
                    let message = "A line is longer than \(limit) bytes. Raise the limit with `lines(upTo:)`."
                    throw NetKitError(.bodyTooLarge, message, outcome: .answered)
                }
            }

            private static func withoutReturn(_ line: Data) -> Data {
                line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            }
        }
    }
}

/// An iterator must not be shared between tasks.
@available(*, unavailable)
extension ResponseBody.Lines.Iterator: Sendable {}
