/// An IPv4 or IPv6 address, and the kind of network it belongs to.
public struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// Four bytes or sixteen, in network order.
    public let bytes: [UInt8]

    /// Reads an address in the form of a URL or a resolver; `nil` for anything else, such as a name.
    ///
    /// The old forms of IPv4 are read too (`127.1`, `0x7f000001`, `2130706433`, `0177.0.0.1`), because resolvers accept
    /// them. An IPv6 address may be in brackets and have a zone.
    public init?(_ text: String) {
        var text = text.trimmingBrackets[...]
        let isV6 = text.contains(":")
        if isV6, let zone = text.firstIndex(of: "%") { text = text[..<zone] }
        guard let bytes = isV6 ? Self.parseV6(text) : Self.parseV4(text) else { return nil }
        self.bytes = bytes
    }

    /// Whether the address belongs to the public internet: not loopback, private, link-local, metadata or reserved.
    ///
    /// An IPv4 address inside an IPv6 one (mapped, compatible, NAT64, 6to4) counts as that IPv4 address.
    public var isPublic: Bool {
        if let v4 = bytes.count == 4 ? bytes : embeddedV4 { return !Self.reservedV4.contains { $0.contains(v4) } }
        return !Self.reservedV6.contains { $0.contains(bytes) }
    }

    /// The address as it is usually written; IPv6 without compression.
    public var description: String {
        if bytes.count == 4 { return bytes.map(\.description).joined(separator: ".") }
        let groups = stride(from: 0, to: 16, by: 2).map { index -> String in
            let group: UInt16 = UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1])
            return String(group, radix: 16)
        }
        return groups.joined(separator: ":")
    }

    /// Returns whether the address belongs to the network with a given address and prefix length.
    func isIn(_ network: IPAddress, bits: Int) -> Bool {
        guard bytes.count == network.bytes.count, (0...bytes.count * 8).contains(bits) else {
            return false
        }
        return Network(prefix: network.bytes, bits: bits).contains(bytes)
    }

    private var embeddedV4: [UInt8]? {
        let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
        let isCompatible = bytes[..<12].allSatisfy { $0 == 0 } && bytes[12...].contains { $0 != 0 } && bytes[12] != 0
        let isNAT64 = bytes.starts(with: [0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0])
        if isMapped || isCompatible || isNAT64 { return Array(bytes[12...]) }
        return bytes.starts(with: [0x20, 0x02]) ? Array(bytes[2..<6]) : nil
    }

    private struct Network {
        let prefix: [UInt8]
        let bits: Int

        func contains(_ address: [UInt8]) -> Bool {
            let whole = bits / 8
            guard address.prefix(whole).elementsEqual(prefix.prefix(whole)) else { return false }
            guard bits % 8 > 0, whole < prefix.count, whole < address.count else { return true }
            let mask = UInt8(truncatingIfNeeded: 0xFF << (8 - bits % 8))
            return address[whole] & mask == prefix[whole] & mask
        }
    }

    /// The networks of the IANA special-purpose registries, and 168.63.129.16.
    ///
    /// That address and 100.64/10 also serve the metadata of cloud providers.
    private static let reservedV4 = [
        Network(prefix: [0], bits: 8), Network(prefix: [10], bits: 8), Network(prefix: [100, 64], bits: 10),
        Network(prefix: [127], bits: 8), Network(prefix: [168, 63, 129, 16], bits: 32),
        Network(prefix: [169, 254], bits: 16), Network(prefix: [172, 16], bits: 12),
        Network(prefix: [192, 0, 0], bits: 24), Network(prefix: [192, 0, 2], bits: 24),
        Network(prefix: [192, 88, 99], bits: 24), Network(prefix: [192, 168], bits: 16),
        Network(prefix: [198, 18], bits: 15), Network(prefix: [198, 51, 100], bits: 24),
        Network(prefix: [203, 0, 113], bits: 24), Network(prefix: [224], bits: 3),
    ]

    /// All networks outside 2000::/3, and the reserved ones inside it: Teredo, benchmarking, ORCHID and documentation.
    private static let reservedV6 = [
        Network(prefix: [0x00], bits: 3), Network(prefix: [0x40], bits: 2), Network(prefix: [0x80], bits: 1),
        Network(prefix: [0x20, 0x01, 0x00, 0x00], bits: 23), Network(prefix: [0x20, 0x01, 0x0D, 0xB8], bits: 32),
        Network(prefix: [0x3F, 0xFF, 0x00], bits: 20), Network(prefix: [0x5F, 0x00], bits: 16),
    ]

    private static func parseV4(_ text: Substring) -> [UInt8]? {
        var parts = text.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count > 1, parts.last?.isEmpty == true { parts.removeLast() }
        let numbers = parts.compactMap(parseNumber)
        guard (1...4).contains(parts.count), numbers.count == parts.count, let last = numbers.last else { return nil }
        let leading = numbers.dropLast()
        let room = UInt64(1) << (8 * (4 - UInt64(leading.count)))
        guard leading.allSatisfy({ $0 < 256 }), last < room else { return nil }
        let value = leading.enumerated().reduce(last) { $0 | $1.element << (8 * (3 - UInt64($1.offset))) }
        return (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * (3 - UInt64($0)))) }
    }

    /// Reads a decimal number, an octal one with a leading 0, or a hexadecimal one with 0x, as `inet_aton` does.
    private static func parseNumber(_ text: Substring) -> UInt64? {
        guard let first = text.utf8.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return nil }
        let lowercased = text.lowercased()
        if lowercased == "0x" { return 0 }
        if lowercased.hasPrefix("0x") { return UInt64(digits: lowercased.dropFirst(2), radix: 16) }
        return lowercased.count > 1 && first == UInt8(ascii: "0")
            ? UInt64(digits: lowercased.dropFirst(), radix: 8) : UInt64(digits: lowercased)
    }

    private static func parseV6(_ text: Substring) -> [UInt8]? {
        guard let gap = text.firstRange(of: "::") else {
            return groups(text).flatMap { $0.count == 16 ? $0 : nil }
        }
        let (start, end) = (text[..<gap.lowerBound], text[gap.upperBound...])
        guard !start.contains("."), let head = groups(start), let tail = groups(end) else { return nil }
        let missing = 16 - head.count - tail.count
        guard missing >= 2 else { return nil }
        return head + [UInt8](repeating: 0, count: missing) + tail
    }

    /// Reads a number of an IPv4 address inside an IPv6 one, which has no octal numbers and so no leading zeros.
    private static func parseDecimal(_ text: Substring) -> UInt8? {
        text.hasPrefix("0") && text.utf8.count > 1 ? nil : UInt8(digits: text)
    }

    /// Reads groups of up to four digits between colons; the last group may be an IPv4 address.
    private static func groups(_ text: Substring) -> [UInt8]? {
        guard !text.isEmpty else { return [] }
        var bytes: [UInt8] = []
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if part.contains("."), index == parts.count - 1 {
                let words = part.split(separator: ".", omittingEmptySubsequences: false)
                let numbers = words.compactMap(parseDecimal)
                guard words.count == 4, numbers.count == 4 else { return nil }
                bytes += numbers
            } else {
                guard (1...4).contains(part.utf8.count), let group = UInt16(digits: part, radix: 16) else { return nil }
                bytes += [UInt8(group >> 8), UInt8(truncatingIfNeeded: group)]
            }
        }
        return bytes.count <= 16 ? bytes : nil
    }
}
