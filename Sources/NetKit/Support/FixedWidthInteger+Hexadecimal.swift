extension FixedWidthInteger where Self: UnsignedInteger {
    /// The number in hexadecimal digits, with zeros in front: always as many as the type can have.
    var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: Self.bitWidth / 4 - digits.utf8.count) + digits
    }
}
