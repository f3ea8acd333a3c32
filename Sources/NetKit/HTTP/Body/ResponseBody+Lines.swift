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
            private var chunks: ResponseBody.Iterator
            private let limit: Int
            private var chunk = Data()
            private var partial = Data()
            private var isOver = false

            init(chunks: ResponseBody.Iterator, limit: Int) {
                self.chunks = chunks
                self.limit = limit
            }

            /// Returns the next line without its end; `nil` after the last.
            public mutating func next() async throws -> String? {
                while !isOver {
                    if let newline = chunk.firstIndex(of: UInt8(ascii: "\n")) {
                        let line = try takeLine(chunk[chunk.startIndex..<newline])
                        chunk = chunk[chunk.index(after: newline)...]
                        return line
                    }
                    try keep(chunk)
                    guard let next = try await chunks.next() else {
                        isOver = true
                        return partial.isEmpty ? nil : try takeLine(Data())
                    }
                    chunk = next
                }
                return nil
            }

            private mutating func keep(_ bytes: Data) throws {
                guard bytes.count <= limit - partial.count else {
                    isOver = true
                    let message = "A line is longer than \(limit) bytes. Raise the limit with `lines(upTo:)`."
                    throw NetKitError(.bodyTooLarge, message, outcome: .answered)
                }
                partial.append(bytes)
            }

            private mutating func takeLine(_ end: Data) throws -> String {
                try keep(end)
                defer { partial.removeAll(keepingCapacity: true) }
                let line = partial.last == UInt8(ascii: "\r") ? partial.dropLast() : partial
                return String(decoding: line, as: UTF8.self)
            }
        }
    }
}

/// An iterator must not be shared between tasks.
@available(*, unavailable)
extension ResponseBody.Lines.Iterator: Sendable {}
