import Foundation

/// Values that arrive as one line of JSON each (NDJSON, JSON Lines).
///
/// Empty lines are skipped.
public struct JSONLines<Value: Decodable & Sendable>: AsyncSequence, Sendable {
    /// The type of errors: `NetKitError` or `CancellationError`.
    public typealias Failure = any Error

    let lines: @Sendable () async throws -> (lines: ResponseBody.Lines, body: ResponseBody)
    let json: JSONCoder

    /// Creates an iterator, whose first step starts the call.
    public func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }

    /// An iterator over the values.
    public struct Iterator: AsyncIteratorProtocol {
        private let sequence: JSONLines
        private let decoder: JSONDecoder
        private var lines: ResponseBody.Lines.Iterator?
        private var body: ResponseBody?
        private var number = 0
        private var isOver = false

        init(sequence: JSONLines) {
            self.sequence = sequence
            decoder = sequence.json.decoder
        }

        /// Returns the next value; `nil` at the end.
        public mutating func next() async throws -> Value? {
            guard !isOver else { return nil }
            // An error ends the sequence too, so it is over until a value was decoded.
            isOver = true
            if lines == nil {
                let opened = try await sequence.lines()
                (lines, body) = (opened.lines.makeAsyncIterator(), opened.body)
            }
            guard var lines else { return nil }
            // The bytes, because invalid UTF-8 in a text would become another text.
            while let line = try await lines.nextBytes() {
                number += 1
                guard !line.allSatisfy(\.isHTTPBlank) else { continue }
                let value = try decode(line)
                self.lines = lines
                isOver = false
                return value
            }
            return nil
        }

        private func decode(_ data: Data) throws -> Value {
            do {
                return try decoder.read(Value.self, of: data)
            } catch {
                let problem = DecodingProblem.error(for: error, expected: Value.self, in: data)
                let message = "Line \(number): \(problem.message)"
                let error = NetKitError(
                    .decoding,
                    message,
                    outcome: .answered,
                    cause: error,
                    codingPath: problem.codingPath
                )
                throw body?.translated(error) ?? error
            }
        }
    }
}

/// An iterator must not be shared between tasks.
@available(*, unavailable)
extension JSONLines.Iterator: Sendable {}
