import Foundation
import NetKit
import NetKitTesting
import Testing

/// Generated inputs for a parser: pieces of its grammar, bytes of any kind, and texts that only repeat one piece.
struct ParserFuzz {
    /// The number of inputs for each parser; `NETKIT_FUZZ=1000000` sets it.
    static let count = ProcessInfo.processInfo.environment["NETKIT_FUZZ"].flatMap { Int($0) } ?? 2000

    private let pieces: [[UInt8]]
    private var numbers: RandomSource

    init(_ pieces: [String]) {
        self.pieces = pieces.map { Array($0.utf8) }
        numbers = .seeded(1)
    }

    /// The next input: some pieces in a row, occasionally with a byte changed, removed or inserted.
    mutating func nextBytes() -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 0...12, using: &numbers) {
            if Int.random(in: 0..<8, using: &numbers) == 0 {
                bytes += (0..<Int.random(in: 1...6, using: &numbers)).map { _ in
                    UInt8.random(in: 0...255, using: &numbers)
                }
            } else {
                bytes += pieces.randomElement(using: &numbers) ?? []
            }
        }
        guard !bytes.isEmpty, Bool.random(using: &numbers) else { return bytes }
        let place = Int.random(in: 0..<bytes.count, using: &numbers)
        switch Int.random(in: 0..<3, using: &numbers) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &numbers)
        case 1: bytes.remove(at: place)
        default: bytes.insert(UInt8.random(in: 0...127, using: &numbers), at: place)
        }
        return bytes
    }

    mutating func nextText() -> String { String(decoding: nextBytes(), as: UTF8.self) }

    mutating func number(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &numbers) }

    /// Hands `count` texts to a parser.
    static func texts(_ pieces: [String], _ body: (String) throws -> Void) rethrows {
        var fuzz = ParserFuzz(pieces)
        for _ in 0..<count { try body(fuzz.nextText()) }
    }

    /// Whether a parser's time grows about as its input does, for one piece that is repeated, and repeated sixteen
    /// times as often.
    ///
    /// A quadratic parser takes 256 times as long; a factor of 80 leaves room for noise.
    static func isLinear(_ pieces: [String], prefix: String = "", _ parse: (String) -> Void) -> Bool {
        var slow: [String] = []
        for piece in pieces {
            let short = prefix + String(repeating: piece, count: 2000)
            let long = prefix + String(repeating: piece, count: 32_000)
            let base = threadTime(runs: 3) { parse(short) }
            let grown = threadTime(runs: 3) { parse(long) }
            if grown >= max(base, .milliseconds(1)) * 80 {
                slow.append("\(piece.debugDescription): \(base), then \(grown)")
            }
        }
        if !slow.isEmpty { Issue.record("not linear: \(slow.joined(separator: "; "))") }
        return slow.isEmpty
    }
}
