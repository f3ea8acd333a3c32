import Foundation

/// The hash that tells whether all bytes came, each at its place; how they are cut into pieces makes no difference.
struct SHA256: Sendable {
    private static let blockSize = 64
    private static let primes = Array((2...311).filter { number in !(2..<number).contains { number % $0 == 0 } })
    /// The standard takes its numbers from the first primes: from their square roots where it begins, and from their
    /// cube roots in each of the rounds.
    private static let start = primes.prefix(8).map { fraction(Double($0).squareRoot()) }
    private static let rounds = primes.map { fraction(cbrt(Double($0))) }

    private var state = Self.start
    private var schedule = [UInt32](repeating: 0, count: 64)
    /// The bytes that do not fill a block yet.
    private var rest: [UInt8] = []
    private var count: UInt64 = 0

    mutating func add(_ bytes: Data) {
        count &+= UInt64(bytes.count)
        bytes.withUnsafeBytes { bytes in
            var bytes = bytes[...]
            if !rest.isEmpty {
                let missing = bytes.prefix(Self.blockSize - rest.count)
                rest.append(contentsOf: missing)
                bytes = bytes.dropFirst(missing.count)
                guard rest.count == Self.blockSize else { return }
                let block = rest
                block.withUnsafeBytes { digest($0) }
                rest.removeAll(keepingCapacity: true)
            }
            while bytes.count >= Self.blockSize {
                digest(UnsafeRawBufferPointer(rebasing: bytes.prefix(Self.blockSize)))
                bytes = bytes.dropFirst(Self.blockSize)
            }
            rest.append(contentsOf: bytes)
        }
    }

    /// The hash of what was added so far, in hexadecimal digits.
    var value: String {
        var last = self
        let padding = (119 - rest.count) % Self.blockSize + 1
        last.add(Data([0x80]) + Data(count: padding - 1) + withUnsafeBytes(of: (count &* 8).bigEndian) { Data($0) })
        return last.state.map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }.joined()
    }

    private mutating func digest(_ block: UnsafeRawBufferPointer) {
        for index in 0..<16 {
            schedule[index] = UInt32(bigEndian: block.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
        }
        for index in 16..<64 {
            let (early, late) = (schedule[index - 15], schedule[index - 2])
            let first = early.turned(7) ^ early.turned(18) ^ (early >> 3)
            let second = late.turned(17) ^ late.turned(19) ^ (late >> 10)
            schedule[index] = schedule[index - 16] &+ first &+ schedule[index - 7] &+ second
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        let rounds = Self.rounds
        for index in 0..<64 {
            let choice = (e & f) ^ (~e & g)
            let first = h &+ (e.turned(6) ^ e.turned(11) ^ e.turned(25)) &+ choice &+ rounds[index] &+ schedule[index]
            let majority = (a & b) ^ (a & c) ^ (b & c)
            let second = (a.turned(2) ^ a.turned(13) ^ a.turned(22)) &+ majority
            (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
        }
        for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
    }

    /// The first 32 bits behind the point.
    private static func fraction(_ number: Double) -> UInt32 {
        UInt32(truncatingIfNeeded: UInt64(number * 4_294_967_296))
    }
}

extension UInt32 {
    /// Its bits moved to the right, those that fall out on the left again.
    fileprivate func turned(_ count: UInt32) -> UInt32 { (self >> count) | (self << (32 - count)) }
}
