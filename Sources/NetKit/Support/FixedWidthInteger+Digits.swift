extension FixedWidthInteger {
    /// The number that digits write; nil where anything else stands among them, a sign too, or where it does not fit.
    package init?(digits text: Substring, radix: UInt64 = 10) {
        guard let number = DigitReader.number(text, radix: radix) else { return nil }
        self.init(exactly: number)
    }

    /// The number that digits write; nil where anything else stands among them, a sign too, or where it does not fit.
    package init?(digits text: String, radix: UInt64 = 10) {
        self.init(digits: text[...], radix: radix)
    }
}

extension StringProtocol {
    /// Whether the text is digits from 0 to 9 and nothing else.
    package var isDigits: Bool { !isEmpty && DigitReader.areDigits(Substring(self)) }
}

/// What reads digits, for every type of number: the standard library's own reader is compiled anew for each.
private enum DigitReader {
    @inline(never) package static func number(_ text: Substring, radix: UInt64) -> UInt64? {
        guard !text.isEmpty else { return nil }
        var number: UInt64 = 0
        for byte in text.utf8 {
            guard let digit = byte.hexDigitValue.map(UInt64.init), digit < radix else { return nil }
            let (product, overflows) = number.multipliedReportingOverflow(by: radix)
            let (sum, isTooMuch) = product.addingReportingOverflow(digit)
            if overflows || isTooMuch { return nil }
            number = sum
        }
        return number
    }

    @inline(never) package static func areDigits(_ text: Substring) -> Bool {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
