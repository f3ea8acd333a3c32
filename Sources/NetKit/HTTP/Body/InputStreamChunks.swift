import Foundation

/// The bytes of an `InputStream` in chunks.
///
/// `@unchecked Sendable`: the stream is only touched under `lock`, and by the one reader that a one-shot body has.
final class InputStreamChunks: AsyncSequence, @unchecked Sendable {
    typealias Element = Data
    typealias Failure = any Error

    private let lock = NSLock()
    private let stream: InputStream

    init(_ stream: InputStream) {
        self.stream = stream
    }

    func makeAsyncIterator() -> Iterator { Iterator(chunks: self) }

    struct Iterator: AsyncIteratorProtocol {
        let chunks: InputStreamChunks

        mutating func next() async throws -> Data? { try chunks.read() }
    }

    private func read() throws -> Data? {
        try lock.withLock {
            if stream.streamStatus == .notOpen { stream.open() }
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            let count = stream.read(&buffer, maxLength: buffer.count)
            if count > 0 { return Data(buffer[..<count]) }
            stream.close()
            guard count == 0 else {
                let reason = stream.streamError.map { "\($0)" } ?? "unknown reason"
                throw NetKitError(.file, "The body stream could not be read: \(reason).", outcome: .unknown)
            }
            return nil
        }
    }
}
