extension FixedWidthInteger {
    /// Creates the number that digits represent; `nil` if it does not fit, or if there is anything else, such as a
    /// sign.
    init?(digits text: Substring, radix: UInt64 = 10) {
        guard let (number, fits) = DigitReader.read(text, radix: radix), fits else { return nil }
        self.init(exactly: number)
    }

    /// Creates the number that digits represent; `nil` if it does not fit, or if there is anything else, such as a
    /// sign.
    init?(digits text: String, radix: UInt64 = 10) { self.init(digits: text[...], radix: radix) }

    /// Creates the number that digits represent; `nil` if it does not fit, or if there is anything else, such as a
    /// sign.
    init?(digits bytes: UnsafeRawBufferPointer) {
        let read = bytes.withMemoryRebound(to: UInt8.self) { DigitReader.read($0, radix: 10) }
        guard let (number, fits) = read, fits else { return nil }
        self.init(exactly: number)
    }

    /// Creates the number that digits represent, or the largest one if it does not fit; `nil` if there is anything
    /// else.
    init?(clampingDigits text: Substring) {
        guard let (number, fits) = DigitReader.read(text, radix: 10) else { return nil }
        self = fits ? Self(clamping: number) : .max
    }
}

/// A reader of digits that is compiled once for all types of numbers; the standard library's is compiled for each.
private enum DigitReader {
    @inline(never)
    static func read(_ text: Substring, radix: UInt64) -> (number: UInt64, fits: Bool)? {
        text.utf8.withContiguousStorageIfAvailable { read($0, radix: radix) }
            ?? Array(text.utf8).withUnsafeBufferPointer { read($0, radix: radix) }
    }

    /// Returns the number, and whether it fits; `nil` if there is anything but digits.
    @inline(never)
    static func read(_ text: UnsafeBufferPointer<UInt8>, radix: UInt64) -> (number: UInt64, fits: Bool)? {
        guard !text.isEmpty else { return nil }
        var number: UInt64 = 0
        var fits = true
        for byte in text {
            guard let digit = byte.hexDigitValue.map(UInt64.init), digit < radix else { return nil }
            let (product, overflows) = number.multipliedReportingOverflow(by: radix)
            let (sum, isTooMuch) = product.addingReportingOverflow(digit)
            fits = fits && !overflows && !isTooMuch
            number = sum
        }
        return (number, fits)
    }
}

extension Int64 {
    /// Calls a closure with the number in decimal digits; the standard library's text takes five times as long.
    func withDigits(_ body: (UnsafeRawBufferPointer) -> Void) {
        withUnsafeTemporaryAllocation(byteCount: 20, alignment: 1) { digits in
            var start = 20
            var rest = magnitude
            repeat {
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            if self < 0 {
                start -= 1
                digits[start] = UInt8(ascii: "-")
            }
            body(UnsafeRawBufferPointer(rebasing: digits[start...]))
        }
    }
}

extension FixedWidthInteger where Self: UnsignedInteger {
    /// The number in hexadecimal digits, padded with zeros to the width of the type.
    var hexadecimal: String { String(self, radix: 16).zeroPadded(to: Self.bitWidth / 4) }
}

extension String {
    /// Returns the text with zeros before it, up to a width.
    func zeroPadded(to width: Int) -> String { String(repeating: "0", count: max(0, width - utf8.count)) + self }
}

extension UnsafeMutableRawBufferPointer {
    /// Writes the 16 bytes of a UUID as 36 characters.
    func writeUUID(_ bytes: UnsafeRawBufferPointer, in digits: [UInt8]) {
        var end = 0
        for (index, byte) in bytes.enumerated() {
            if index == 4 || index == 6 || index == 8 || index == 10 {
                self[end] = UInt8(ascii: "-")
                end += 1
            }
            self[end] = digits[Int(byte >> 4)]
            self[end + 1] = digits[Int(byte & 15)]
            end += 2
        }
    }
}

extension UInt8 {
    /// Whether the byte is a control character of ASCII.
    package var isControl: Bool { self < 0x20 || self == 0x7F }

    /// The digits from 0 to f.
    static let hexDigits = Array("0123456789abcdef".utf8)
    /// The digits from 0 to F.
    static let capitalHexDigits = Array("0123456789ABCDEF".utf8)

    /// The value of a hexadecimal digit of either case.
    var hexDigitValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
