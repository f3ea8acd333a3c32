import Foundation

/// The waiting chunks of a body, in order of arrival.
struct ChunkQueue {
    private var chunks: [Data] = []
    private var first = 0
    /// The number of waiting bytes.
    private(set) var byteCount = 0

    var isEmpty: Bool { first == chunks.count }

    /// The number of chunks, including those that were taken.
    var placeCount: Int { chunks.count }

    mutating func append(_ chunk: Data) {
        chunks.append(chunk)
        byteCount += chunk.count
    }

    /// Removes and returns the whole first chunk.
    mutating func popFirst() -> Data? {
        guard !isEmpty else { return nil }
        let chunk = chunks[first]
        byteCount -= chunk.count
        dropFirst()
        return chunk
    }

    /// Moves as much of the first chunk as fits into a buffer, and returns the number of bytes.
    mutating func moveFirst(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard !isEmpty else { return 0 }
        let chunk = chunks[first]
        let count = min(buffer.count, chunk.count)
        chunk.copyBytes(to: buffer, from: chunk.startIndex..<chunk.startIndex + count)
        byteCount -= count
        if count < chunk.count {
            chunks[first] = chunk.dropFirst(count)
        } else {
            dropFirst()
        }
        return count
    }

    mutating func removeAll() { self = ChunkQueue() }

    private mutating func dropFirst() {
        chunks[first] = Data()
        first += 1
        if first == chunks.count {
            chunks.removeAll(keepingCapacity: true)
            first = 0
        } else if first >= 64, first >= chunks.count / 2 {
            // If the writer is always ahead, the list never gets empty; the places of read chunks are removed here.
            chunks.removeFirst(first)
            first = 0
        }
    }
}
