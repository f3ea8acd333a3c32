import Foundation
import NetKitTesting
import Testing

@testable import NetKit

struct ISO8601DateTests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000Z"),
        (1_700_000_000, "2023-11-14T22:13:20Z", "2023-11-14T22:13:20.000Z"),
        (1_700_000_000.123, "2023-11-14T22:13:20Z", "2023-11-14T22:13:20.123Z"),
        (-0.001, "1969-12-31T23:59:59Z", "1969-12-31T23:59:59.999Z"),
        (951_827_696, "2000-02-29T12:34:56Z", "2000-02-29T12:34:56.000Z"),
        (1_709_251_199.999, "2024-02-29T23:59:59Z", "2024-02-29T23:59:59.999Z"),
        (.nan, "1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000Z"),
        (1e300, "9999-12-31T23:59:59Z", "9999-12-31T23:59:59.000Z"),
        (-1e300, "0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000Z"),
    ])
    func writesDates(_ seconds: Double, _ plain: String, _ fraction: String) {
        let date = Date(timeIntervalSince1970: seconds)
        #expect(ISO8601Date.format(date) == plain)
        #expect(ISO8601Date.format(date, fraction: true) == fraction)
    }

    @Test(arguments: [
        ("2023-11-14T22:13:20Z", 1_700_000_000), ("2023-11-14t22:13:20z", 1_700_000_000),
        ("2023-11-14 22:13:20Z", 1_700_000_000), ("2023-11-14T22:13:20.5Z", 1_700_000_000.5),
        ("2023-11-14T22:13:20,25Z", 1_700_000_000.25), ("2023-11-14T22:13:20.1234567891Z", 1_700_000_000.123456789),
        ("2023-11-14T23:13:20+01:00", 1_700_000_000), ("2023-11-14T23:13:20+0100", 1_700_000_000),
        ("2023-11-14T23:13:20+01", 1_700_000_000), ("2023-11-14T16:43:20-05:30", 1_700_000_000),
        ("1998-12-31T23:59:60Z", 915_148_800), ("2000-02-29T00:00:00Z", 951_782_400),
    ])
    func readsDates(_ text: String, _ seconds: Double) throws {
        let date = try #require(ISO8601Date.parse(text))
        #expect(abs(date.timeIntervalSince1970 - seconds) < 1e-6)
    }

    @Test(arguments: [
        "", "2023", "2023-11-14", "2023-11-14T22:13:20", "2023-11-14T22:13:20.Z", "2023-13-14T22:13:20Z",
        "2023-02-29T22:13:20Z", "2023-00-14T22:13:20Z", "2023-11-14T24:13:20Z", "2023-11-14T22:60:20Z",
        "2023-11-14T22:13:61Z", "2023-11-14T22:13:20+1:00", "2023-11-14T22:13:20Zx", "2023-11-14T22:13:20+24:00",
        "+023-11-14T22:13:20Z", "２０２３-11-14T22:13:20Z",
    ])
    func refusesTextThatIsNotADate(_ text: String) {
        #expect(ISO8601Date.parse(text) == nil)
    }

    @Test func readsTheDatesItWrites() throws {
        var random = RandomSource.seeded(1)
        for _ in 0..<2000 {
            let milliseconds = Int.random(in: -62_167_219_200_000...253_402_300_799_000, using: &random)
            let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
            let read = try #require(ISO8601Date.parse(ISO8601Date.format(date, fraction: true)))
            #expect(abs(read.timeIntervalSince(date)) < 0.000_6)
        }
    }
}
