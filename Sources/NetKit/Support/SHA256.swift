import Foundation

/// The SHA-256 hash of bytes that are added in pieces (FIPS 180-4).
package struct SHA256: Sendable {
    private static let blockSize = 64
    private static let primes = (2...311).filter { number in !(2..<number).contains { number % $0 == 0 } }
    /// The constants of the standard come from the first primes: those of the initial state from their square roots,
    /// and those of the rounds from their cube roots.
    private static let start = primes.prefix(8).map { fraction(Double($0).squareRoot()) }
    private static let rounds = primes.map { fraction(cbrt(Double($0))) }

    private var state = Self.start
    /// The bytes that do not fill a block yet.
    private var rest: [UInt8] = []
    private var count: UInt64 = 0

    package init() {}

    /// Adds bytes.
    package mutating func add(_ bytes: UnsafeRawBufferPointer) {
        count &+= UInt64(bytes.count)
        var bytes = bytes[...]
        if !rest.isEmpty {
            let missing = bytes.prefix(Self.blockSize - rest.count)
            rest.append(contentsOf: missing)
            bytes = bytes.dropFirst(missing.count)
            guard rest.count == Self.blockSize else { return }
            rest.withUnsafeBytes { Self.digest($0, into: &state) }
            rest.removeAll(keepingCapacity: true)
        }
        let whole = bytes.count / Self.blockSize * Self.blockSize
        Self.digest(UnsafeRawBufferPointer(rebasing: bytes.prefix(whole)), into: &state)
        rest.append(contentsOf: bytes.dropFirst(whole))
    }

    /// The hash of the bytes so far, in hexadecimal digits.
    package var value: String {
        var last = self
        let padding = (119 - rest.count) % Self.blockSize + 1
        let length = withUnsafeBytes(of: (count &* 8).bigEndian) { Array($0) }
        ([0x80] + [UInt8](repeating: 0, count: padding - 1) + length).withUnsafeBytes { last.add($0) }
        return last.state.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0).hexadecimal } }
            .joined()
    }

    /// Adds blocks to a state.
    private static func digest(_ blocks: UnsafeRawBufferPointer, into state: inout [UInt32]) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { schedule in
            state.withUnsafeMutableBufferPointer { state in
                rounds.withUnsafeBufferPointer { rounds in
                    for offset in stride(from: 0, to: blocks.count, by: blockSize) {
                        digest(blocks, at: offset, schedule, rounds, state)
                    }
                }
            }
        }
    }

    private static func digest(
        _ blocks: UnsafeRawBufferPointer,
        at offset: Int,
        _ schedule: UnsafeMutableBufferPointer<UInt32>,
        _ rounds: UnsafeBufferPointer<UInt32>,
        _ state: UnsafeMutableBufferPointer<UInt32>
    ) {
        for index in 0..<16 {
            let word = blocks.loadUnaligned(fromByteOffset: offset + index * 4, as: UInt32.self)
            schedule[index] = UInt32(bigEndian: word)
        }
        for index in 16..<64 {
            let (early, late) = (schedule[index - 15], schedule[index - 2])
            let first = early.turned(7) ^ early.turned(18) ^ (early &>> 3)
            let second = late.turned(17) ^ late.turned(19) ^ (late &>> 10)
            schedule[index] = schedule[index - 16] &+ first &+ schedule[index - 7] &+ second
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for index in 0..<64 {
            let choice = (e & f) ^ (~e & g)
            let first = h &+ (e.turned(6) ^ e.turned(11) ^ e.turned(25)) &+ choice &+ rounds[index] &+ schedule[index]
            let majority = (a & b) ^ (a & c) ^ (b & c)
            let second = (a.turned(2) ^ a.turned(13) ^ a.turned(22)) &+ majority
            (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
        }
        state[0] &+= a
        state[1] &+= b
        state[2] &+= c
        state[3] &+= d
        state[4] &+= e
        state[5] &+= f
        state[6] &+= g
        state[7] &+= h
    }

    /// Returns the first 32 bits after the point.
    private static func fraction(_ number: Double) -> UInt32 {
        UInt32(truncatingIfNeeded: UInt64(number * 4_294_967_296))
    }
}

extension UInt32 {
    /// Returns the value with its bits rotated to the right.
    fileprivate func turned(_ count: UInt32) -> UInt32 { (self &>> count) | (self &<< (32 &- count)) }
}
