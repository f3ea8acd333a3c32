import Foundation

/// Writes numbers and texts one after the other, for `CacheByteReader`.
struct CacheByteWriter {
    private(set) var data = Data()

    mutating func add(_ byte: UInt8) { data.append(byte) }

    mutating func add(_ word: UInt64) {
        withUnsafeBytes(of: word.littleEndian) { data.append(contentsOf: $0) }
    }

    mutating func add(_ text: String) {
        add(UInt64(text.utf8.count))
        data.append(contentsOf: text.utf8)
    }
}

/// Reads the output of `CacheByteWriter`, and returns `nil` for bytes that it cannot have written.
struct CacheByteReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ data: Data) { bytes = Array(data) }

    var isAtEnd: Bool { position == bytes.count }

    mutating func readByte() -> UInt8? {
        guard position < bytes.count else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func readWord() -> UInt64? {
        guard bytes.count - position >= 8 else { return nil }
        defer { position += 8 }
        return UInt64(littleEndianBytes: bytes[position..<position + 8])
    }

    /// Reads a number of elements that take at least a byte each; `nil` if it exceeds the number of bytes left.
    mutating func readCount() -> Int? {
        guard let word = readWord(), word <= UInt64(bytes.count - position) else { return nil }
        return Int(word)
    }

    mutating func readText() -> String? {
        guard let count = readCount() else { return nil }
        defer { position += count }
        return String(decoding: bytes[position..<position + count], as: UTF8.self)
    }

    mutating func readDate() -> Date? {
        guard let word = readWord() else { return nil }
        let seconds = Double(bitPattern: word)
        return seconds.isFinite ? Date(timeIntervalSince1970: seconds) : nil
    }
}

extension UInt64 {
    /// The eight bytes of the number, the lowest first.
    var littleEndianBytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) } }

    /// Creates a number from its bytes, the lowest first.
    init(littleEndianBytes bytes: some Sequence<UInt8>) {
        self = 0
        for (index, byte) in bytes.enumerated() { self |= UInt64(byte) << (index * 8) }
    }
}
