/// Numbers of seconds as caching headers write them (RFC 9111, section 1.2.2).
enum DeltaSeconds {
    /// The value that replaces every larger number.
    static let most: Int64 = 2_147_483_648

    /// The number, held below `most`; nil for anything but digits.
    static func parse(_ bytes: some Sequence<UInt8>) -> Int64? {
        var value: Int64 = 0
        var isEmpty = true
        for byte in bytes {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            value = min(most, value * 10 + Int64(byte - UInt8(ascii: "0")))
            isEmpty = false
        }
        return isEmpty ? nil : value
    }

    /// The received age: the first member of the first field (RFC 9111, section 5.1); 0 where that is no number.
    static func age(in headers: HTTPHeaders) -> Int64 {
        guard let line = headers.first(where: { HTTPHeaders.isEqual($0.name, "Age") }) else { return 0 }
        let first = line.value.utf8.prefix { $0 != UInt8(ascii: ",") }
        return parse(first.trimmingBlanks) ?? 0
    }
}
