import Testing

@testable import NetKit

struct DigitsTests {
    @Test(
        arguments: [
            ("0", 0), ("007", 7), ("65535", 65535), ("65536", nil), ("18446744073709551616", nil), ("", nil),
            ("+5", nil),
            ("-5", nil), (" 5", nil), ("5 ", nil), ("5a", nil), ("٥", nil), ("1_000", nil),
        ] as [(String, UInt16?)]
    )
    func readsOnlyDigits(text: String, number: UInt16?) {
        #expect(UInt16(digits: text) == number)
    }

    @Test(
        arguments: [("ff", 255), ("FF", 255), ("0", 0), ("100", nil), ("g", nil), ("0x1", nil)] as [(String, UInt8?)]
    )
    func readsDigitsOfOtherRadices(text: String, number: UInt8?) {
        #expect(UInt8(digits: text, radix: 16) == number)
    }

    @Test(arguments: [(UInt64.max, "18446744073709551615"), (UInt64(Int64.max), "9223372036854775807")])
    func readsTheLargestNumbers(number: UInt64, text: String) {
        #expect(UInt64(digits: text) == number)
        #expect(Int64(digits: text) == Int64(exactly: number))
    }

    @Test(
        arguments: [
            ("7", 7), ("9223372036854775807", .max), ("9223372036854775808", .max),
            ("99999999999999999999999", .max), ("99999999999999999999999x", nil), ("+7", nil), ("", nil),
        ] as [(String, Int64?)]
    )
    func clampsNumbersThatAreTooLarge(text: String, number: Int64?) {
        #expect(Int64(clampingDigits: text[...]) == number)
    }

    /// Texts that the standard library reads as a number, and that are not one on the wire.
    @Test(arguments: ["::+1", "1.2.3.+4", "+1.2.3.4", "::1.2.3.+4"])
    func anAddressHasNoSigns(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test func equalNamesAndNumbersStayInTheirOrder() {
        let pairs = [("b", 1), ("a", 2), ("b", 3), ("a", 4), ("", 5)]
        #expect(pairs.orderedByName(\.0).map(\.1) == [5, 2, 4, 1, 3])
        let numbers: [(Int64, Int)] = [(7, 1), (-1, 2), (7, 3), (-1, 4), (.min, 5)]
        #expect(numbers.orderedByNumber(\.0).map(\.1) == [5, 2, 4, 1, 3])
    }
}
