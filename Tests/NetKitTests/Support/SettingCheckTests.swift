import Testing

@testable import NetKit

/// Tests that settings out of range are replaced by the nearest valid value, and reported.
struct SettingCheckTests {
    @Test func validSettingsAreKeptAndNotReported() {
        var check = SettingCheck()
        #expect(check.count("a", 5, in: 1...9) == 5)
        #expect(check.number("b", 0.5, in: 0...1, or: 0) == 0.5)
        #expect(check.duration("c", .seconds(2), in: .zero ... .seconds(9)) == .seconds(2))
        #expect(check.notes == [])
    }

    @Test(arguments: [(Int.min, 1), (0, 1), (10, 9), (Int.max, 9)])
    func countsAreMovedIntoTheirRange(given: Int, used: Int) {
        var check = SettingCheck()
        #expect(check.count("permits", given, in: 1...9) == used)
        #expect(check.notes == ["permits is \(given), which is out of range; \(used) is used instead."])
    }

    @Test(arguments: [(-Double.infinity, 0.0), (.infinity, 1), (.nan, 0.25), (-3, 0), (1.5, 1)])
    func numbersAreMovedIntoTheirRange(given: Double, used: Double) {
        var check = SettingCheck()
        #expect(check.number("ratio", given, in: 0...1, or: 0.25) == used)
        #expect(check.notes.count == 1)
    }

    @Test(arguments: [
        (Duration.seconds(-1), Duration.milliseconds(1)), (.seconds(Int64.max), .seconds(10)),
        (.zero, .milliseconds(1)),
    ])
    func durationsAreMovedIntoTheirRange(given: Duration, used: Duration) {
        var check = SettingCheck()
        #expect(check.duration("wait", given, in: .milliseconds(1) ... .seconds(10)) == used)
        #expect(check.notes.first?.contains("\(used.shortText) is used") == true)
    }
}
