extension FixedWidthInteger where Self: UnsignedInteger {
    /// The number in hexadecimal digits, with zeros in front: always as many as the type can have.
    var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: Self.bitWidth / 4 - digits.utf8.count) + digits
    }
}

extension UInt8 {
    /// The digits from 0 to f.
    static let hexDigits = Array("0123456789abcdef".utf8)

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
