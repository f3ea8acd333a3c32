import Foundation
import NetKit

/// An entry that a case writes and recognizes when it reads it.
struct CacheStoreEntry: Sendable, CustomStringConvertible {
    /// The size of a body that a store on disk returns in pieces.
    static let large = 1 << 20 | 5
    /// The size of the largest body that a case writes.
    static let largest = 3 << 20 | 5

    let head: CacheHead
    let body: Data
    private let name: String

    /// Creates an entry that differs from those of other numbers in every block of its body.
    ///
    /// - Parameters:
    ///   - number: The number, on which the head and the body depend.
    ///   - count: The number of bytes of the body.
    init(_ number: Int, count: Int = 3000) {
        self.init(head: .response(number), body: Self.body(number, count: count), name: "entry \(number)")
    }

    init(head: CacheHead, body: Data, name: String) {
        (self.head, self.body, self.name) = (head, body, name)
    }

    var description: String { name }

    /// Returns the same body with the head of a later response.
    func updated(_ number: Int, bodyID: UInt64) -> CacheStoreEntry {
        CacheStoreEntry(head: .response(number, bodyID: bodyID), body: body, name: "\(name) with head \(number)")
    }

    /// The body in slices of several sizes, some of them empty.
    var pieces: [Data] {
        var pieces = [Data()]
        var position = 0
        while position < body.count {
            let size = [1, 700, 4096, 70_000][pieces.count % 4]
            pieces.append(body[position..<min(body.count, position + size)])
            position += size
        }
        return pieces
    }

    /// Fails the case unless bytes are the body.
    func expectBody(_ seen: Data, _ when: String) throws {
        try expect("length of \(name) \(when)", seen.count, is: body.count)
        guard seen != body else { return }
        let place = zip(seen, body).enumerated().first { $1.0 != $1.1 }?.offset ?? 0
        throw ConformanceFailure.broken(expected: "the body of \(name) \(when)", seen: "another byte at \(place)")
    }

    /// Fails the case unless bytes are a prefix of the body.
    func expectPrefix(_ seen: Data, _ when: String) throws {
        let isPrefix = seen.count <= body.count && body.prefix(seen.count) == seen
        try expect("nothing but the body of \(name) \(when)", isPrefix, seen: "bytes of something else")
    }

    /// Returns incompressible bytes in blocks that depend on the number and the position.
    private static func body(_ number: Int, count: Int) -> Data {
        let random = RandomSource.seeded(UInt64(number))
        var block = Data()
        while block.count < min(count, 4096) { withUnsafeBytes(of: random.next()) { block.append(contentsOf: $0) } }
        var body = Data(capacity: count + block.count)
        while body.count < count {
            withUnsafeBytes(of: UInt32(body.count).littleEndian) { block.replaceSubrange(0..<4, with: $0) }
            body.append(block)
        }
        return body.prefix(count)
    }
}

extension CacheHead {
    /// The date at which all entries of a trial were received.
    static let trialDate = Date(timeIntervalSince1970: 1_800_000_000)

    /// Returns the head of a response that is fresh for a year.
    static func response(_ number: Int, bodyID: UInt64? = nil) -> CacheHead {
        var bytes = Data([1, 1])
        bytes.addWord(200)
        bytes.addWord(trialDate.timeIntervalSince1970.bitPattern)
        bytes.addWord(trialDate.timeIntervalSince1970.bitPattern)
        bytes.addWord(0)
        bytes.addWord(Double.nan.bitPattern)
        bytes.append(1)
        bytes.addWord(bodyID ?? UInt64(number))
        let fields = [
            "Cache-Control": "max-age=31536000", "ETag": "\"\(number)\"", "X-Empty": "", "X-Text": "ä, \"b\"",
        ]
        bytes.addWord(UInt64(fields.count))
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            bytes.addText(name)
            bytes.addText(value)
        }
        return decoding(bytes)
    }

    /// Returns the head of an entry that lists the request fields that select among responses.
    static func variants(_ number: Int) -> CacheHead {
        var bytes = Data([1, 2])
        bytes.addWord(UInt64(number))
        bytes.addWord(2)
        for set in [["accept", "accept-language"], []] {
            bytes.addWord(UInt64(set.count))
            for name in set { bytes.addText(name) }
        }
        return decoding(bytes)
    }

    /// The head of a caller's value that is valid for a year.
    static var value: CacheHead {
        var bytes = Data([1, 3])
        bytes.addWord(trialDate.timeIntervalSince1970.bitPattern)
        bytes.addWord(trialDate.addingTimeInterval(31_536_000).timeIntervalSince1970.bitPattern)
        return decoding(bytes)
    }

    private static func decoding(_ bytes: Data) -> CacheHead {
        guard let head = CacheHead(encoded: bytes) else { preconditionFailure("heads are encoded differently now") }
        return head
    }
}

extension Data {
    fileprivate mutating func addWord(_ word: UInt64) {
        Swift.withUnsafeBytes(of: word.littleEndian) { append(contentsOf: $0) }
    }

    fileprivate mutating func addText(_ text: String) {
        addWord(UInt64(text.utf8.count))
        append(contentsOf: text.utf8)
    }
}
