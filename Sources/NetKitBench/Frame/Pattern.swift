import Foundation
import NetKit

/// Zeros with a different stamp every 64 KiB.
///
/// Missing, doubled or misplaced bytes change the hash, and a file of the pattern takes little space on the disk.
enum Pattern {
    private static let stretch = 64 << 10

    /// Returns the first bytes of the pattern.
    static func data(_ count: Int) -> Data {
        var data = Data(count: count)
        for start in stride(from: 0, to: count, by: stretch) {
            let stamp = stamp(at: start).prefix(count - start)
            data.replaceSubrange(start..<start + stamp.count, with: stamp)
        }
        return data
    }

    /// Writes the first bytes of the pattern to a file.
    static func write(_ count: Int, to file: URL) throws {
        try Data().write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        for start in stride(from: 0, to: count, by: stretch) {
            try handle.seek(toOffset: UInt64(start))
            try handle.write(contentsOf: stamp(at: start).prefix(count - start))
        }
        try handle.truncate(atOffset: UInt64(count))
    }

    /// Returns the hash of the first bytes of the pattern.
    static func hash(_ count: Int) -> String {
        var hash = SHA256()
        for start in stride(from: 0, to: count, by: stretch) {
            let stamp = stamp(at: start)
            let piece = (stamp + Data(count: stretch - stamp.count)).prefix(count - start)
            piece.withUnsafeBytes { hash.add($0) }
        }
        return hash.value
    }

    private static func stamp(at place: Int) -> Data {
        let word = UInt64(place / stretch + 1) &* 0x9E37_79B9_7F4A_7C15
        let mixed = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        return withUnsafeBytes(of: mixed.littleEndian) { Data($0) }
    }
}
