import Foundation

/// A sequence of bytes and files, such as the parts of a form; one file is open at a time.
final class JoinedBodySource: Sendable {
    private enum Part: Sendable {
        case bytes(Data)
        case file(FileRange)
    }

    private let parts: [Part]
    /// The offset at which each part begins.
    private let starts: [Int64]
    private let length: Int64
    private let open = Locked<(index: Int, source: RequestBodySource)?>(nil)

    /// Creates a sequence of bodies; `nil` if one is a stream, which cannot be read at once.
    init?(_ bodies: [HTTPBody]) throws {
        var (parts, starts, length): ([Part], [Int64], Int64) = ([], [], 0)
        for body in bodies {
            starts.append(length)
            if let bytes = body.bytes {
                parts.append(.bytes(bytes))
                length += Int64(bytes.count)
            } else if let range = try body.fileRange?.settled() {
                parts.append(.file(range))
                length = length.addingSaturated(range.length ?? 0)
            } else {
                return nil
            }
        }
        (self.parts, self.starts, self.length) = (parts, starts, length)
    }

    var source: RequestBodySource { RequestBodySource(storage: .joined(self), length: length) }

    /// Fills the buffer from a position on, across parts, until the end of the body or a short read of a file.
    func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws -> Int {
        var count = 0
        var index = part(at: position)
        while count < buffer.count, index < parts.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let offset = position + Int64(count) - starts[index]
            let source = try source(of: index)
            let read = try source.read(into: rest, at: offset)
            count += read
            guard offset + Int64(read) >= source.length else { break }
            index += 1
        }
        return count
    }

    /// Returns the index of the last part that begins at or before a position.
    private func part(at position: Int64) -> Int {
        max(0, starts.firstIndexOfSorted { $0 > position } - 1)
    }

    private func source(of index: Int) throws -> RequestBodySource {
        switch parts[index] {
        case .bytes(let data): return RequestBodySource(storage: .bytes(data), length: Int64(data.count))
        case .file(let range):
            if let open = open.withLock({ $0 }), open.index == index { return open.source }
            do {
                let source = try RequestBodySource.file(range)
                open.withLock { $0 = (index, source) }
                return source
            } catch let error as NetKitError {
                // The parts before it may have been sent.
                throw error.with(outcome: .unknown)
            }
        }
    }
}
