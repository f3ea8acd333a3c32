import Foundation
import NetKit
import Testing

struct HTTPDateTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)  // 15 January 2027

    /// The example of RFC 9110, section 5.6.7.
    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ])
    func readsAllThreeForms(_ text: String) {
        #expect(HTTPDate.parse(text, now: Self.now) == Date(timeIntervalSince1970: 784_111_777))
    }

    @Test func writesThePreferredForm() {
        let date = Date(timeIntervalSince1970: 784_111_777)
        #expect(HTTPDate.format(date) == "Sun, 06 Nov 1994 08:49:37 GMT")
    }

    @Test func readsATwoDigitDayInTheAsctimeForm() {
        #expect(HTTPDate.parse("Wed Nov 16 08:49:37 1994") == Date(timeIntervalSince1970: 784_975_777))
        #expect(HTTPDate.parse("Sun Nov 06 08:49:37 1994") == Date(timeIntervalSince1970: 784_111_777))
    }

    @Test(arguments: [
        ("00", 2000), ("27", 2027), ("28", 2028), ("76", 2076), ("77", 1977), ("78", 1978), ("99", 1999),
    ])
    func takesATwoDigitYearMoreThanFiftyYearsAheadForThePast(_ short: String, _ year: Int) {
        let read = HTTPDate.parse("Sunday, 06-Nov-\(short) 08:49:37 GMT", now: Self.now)
        #expect(read == HTTPDate.parse("Sun, 06 Nov \(year) 08:49:37 GMT"))
        #expect(read != nil)
    }

    @Test(arguments: [("00", 1900), ("19", 1919), ("69", 1969), ("70", 1870), ("71", 1871), ("99", 1899)])
    func judgesATwoDigitYearByTheGivenNow(_ short: String, _ year: Int) {
        let now = Date(timeIntervalSince1970: -1_577_923_200)  // 1 January 1920
        let read = HTTPDate.parse("Sunday, 06-Nov-\(short) 08:49:37 GMT", now: now)
        #expect(read == HTTPDate.parse("Sun, 06 Nov \(year) 08:49:37 GMT"))
        #expect(read != nil)
    }

    /// Fifty years are counted to the second, and across the end of a century (RFC 9110, section 5.6.7).
    @Test(arguments: [
        ("Friday, 15-Jan-77 08:00:00 GMT", "Fri, 15 Jan 2077 08:00:00 GMT", 1_800_000_000),
        ("Saturday, 15-Jan-77 08:00:01 GMT", "Sat, 15 Jan 1977 08:00:01 GMT", 1_800_000_000),
        ("Friday, 01-Jan-00 00:00:00 GMT", "Fri, 01 Jan 2100 00:00:00 GMT", 4_102_444_000),
    ])
    func countsFiftyYearsToTheSecond(_ short: String, _ long: String, _ now: Double) throws {
        let read = try #require(HTTPDate.parse(short, now: Date(timeIntervalSince1970: now)))
        #expect(HTTPDate.format(read) == long)
    }

    @Test(
        arguments: [
            ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400), ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000),
            ("Tue, 29 Feb 2400 00:00:00 GMT", 13_574_563_200),
        ] as [(String, Double)]
    )
    func knowsLeapDays(_ text: String, _ seconds: Double) {
        let date = Date(timeIntervalSince1970: seconds)
        #expect(HTTPDate.parse(text) == date)
        #expect(HTTPDate.format(date) == text)
    }

    @Test(arguments: [
        "Wed, 29 Feb 2023 00:00:00 GMT", "Thu, 29 Feb 1900 00:00:00 GMT", "Mon, 29 Feb 2100 00:00:00 GMT",
        "Sun, 30 Feb 2000 00:00:00 GMT", "Sun, 31 Apr 2000 00:00:00 GMT", "Sun, 32 Jan 2000 00:00:00 GMT",
        "Sun, 00 Jan 2000 00:00:00 GMT", "Sun Jan  0 00:00:00 2000",
    ])
    func refusesDaysThatDoNotExist(_ text: String) {
        #expect(HTTPDate.parse(text) == nil)
    }

    @Test(
        arguments: [
            (-62_167_219_200, "Sat, 01 Jan 0000 00:00:00 GMT"), (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
        ] as [(Double, String)]
    )
    func readsAndWritesTheBoundsOfTheYears(_ seconds: Double, _ text: String) {
        #expect(HTTPDate.format(Date(timeIntervalSince1970: seconds)) == text)
        #expect(HTTPDate.parse(text) == Date(timeIntervalSince1970: seconds))
    }

    @Test(
        arguments: [
            (-62_167_219_201, "Sat, 01 Jan 0000 00:00:00 GMT"), (253_402_300_800, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (-.infinity, "Sat, 01 Jan 0000 00:00:00 GMT"), (.infinity, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (.nan, "Thu, 01 Jan 1970 00:00:00 GMT"), (0.999, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (-0.001, "Wed, 31 Dec 1969 23:59:59 GMT"),
        ] as [(Double, String)]
    )
    func clampsDatesThatTheFormatCannotHold(_ seconds: Double, _ text: String) {
        #expect(HTTPDate.format(Date(timeIntervalSince1970: seconds)) == text)
    }

    @Test func readsWithoutACleverNow() {
        let never = Date(timeIntervalSince1970: .nan)
        #expect(
            HTTPDate.parse("Sunday, 06-Nov-94 08:49:37 GMT", now: never) == Date(timeIntervalSince1970: 784_111_777)
        )
    }

    @Test(arguments: [
        "", " ", "Sun", "Sun,", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 GMT ",
        " Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT\r\n", "Sun, 06 Nov 1994 08:49:37 GMT\0",
        "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 19940 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, +6 Nov 1994 08:49:37 GMT",
        "Sunday, 06 Nov 1994 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT", "Sun Nov 6 08:49:37 1994",
        "Sun, ٠٦ Nov 1994 08:49:37 GMT", "Sun, 06 November 1994 08:49:37 GMT", "sun, 06 nov 1994 08:49:37 gmt",
    ])
    func refusesTextThatDiffersFromTheFormats(_ text: String) {
        #expect(HTTPDate.parse(text, now: Self.now) == nil)
    }

    @Test(arguments: ["Mon", "Tue", "Sat"])
    func doesNotHoldAWrongDayNameAgainstTheDate(_ weekday: String) {
        #expect(HTTPDate.parse("\(weekday), 06 Nov 1994 08:49:37 GMT") == Date(timeIntervalSince1970: 784_111_777))
    }

    @Test func isAValueThatIsWrittenAndRead() throws {
        let date = HTTPDate(Date(timeIntervalSince1970: 784_111_777))
        #expect("\(date)" == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate("Sunday, 06-Nov-94 08:49:37 GMT") == date)
        #expect(HTTPDate("yesterday") == nil)
    }

    @Test func readsTheDatesItWritesOverManyCenturies() {
        var seconds = -62_167_219_200.0
        while seconds < 253_402_300_799 {
            let date = Date(timeIntervalSince1970: seconds)
            #expect(HTTPDate.parse(HTTPDate.format(date)) == date)
            seconds += 86_400 * 997 + 12_347  // odd steps, so that every part of the date and the time moves
        }
    }
}
