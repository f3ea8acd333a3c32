import Testing

@testable import NetKit

struct DurationClampedTests {
    @Test(
        arguments: [
            (.zero, 0), (.nanoseconds(1), 1), (.seconds(1), 1_000_000_000), (.milliseconds(-250), -250_000_000),
            (Duration(secondsComponent: 0, attosecondsComponent: 999_999_999), 0),
            (.nanoseconds(Int64.max), .max), (.nanoseconds(Int64.max) + .nanoseconds(1), .max),
            (.nanoseconds(Int64.min), .min), (.nanoseconds(Int64.min) - .nanoseconds(1), .min),
            (.seconds(9_223_372_037), .max), (.seconds(-9_223_372_037), .min), (.seconds(Int64.max), .max),
            (.seconds(Int64.min), .min),
        ] as [(Duration, Int64)]
    )
    func clampsNanosecondsToSixtyFourBits(_ duration: Duration, _ nanoseconds: Int64) {
        #expect(duration.clampedNanoseconds == nanoseconds)
    }

    @Test(
        arguments: [
            (0, .zero), (0.25, .milliseconds(250)), (-2, .seconds(-2)), (1e-10, .zero), (1.5e-9, .nanoseconds(2)),
            (.infinity, .nanoseconds(Int64.max)), (-.infinity, .nanoseconds(Int64.min)),
            (1e300, .nanoseconds(Int64.max)), (-1e300, .nanoseconds(Int64.min)),
            (9_223_372_037, .nanoseconds(Int64.max)), (.greatestFiniteMagnitude, .nanoseconds(Int64.max)),
        ] as [(Double, Duration)]
    )
    func clampsSeconds(_ seconds: Double, _ duration: Duration) {
        #expect(Duration(clampingSeconds: seconds) == duration)
    }

    @Test(arguments: [Double.nan, .signalingNaN, -.nan])
    func makesNoDurationOfNoNumber(_ seconds: Double) {
        #expect(Duration(clampingSeconds: seconds) == nil)
    }

    @Test func givesSecondsWithTheirFraction() {
        #expect(Duration.milliseconds(1500).inSeconds == 1.5)
        #expect(Duration.milliseconds(-1500).inSeconds == -1.5)
        #expect(Duration.zero.inSeconds == 0)
    }

    @Test(
        arguments: [
            (.zero, "0 µs"), (.nanoseconds(500), "0.5 µs"), (.microseconds(12), "12 µs"),
            (.microseconds(999), "999 µs"),
            (.milliseconds(1), "1 ms"), (.microseconds(1500), "1.5 ms"), (.milliseconds(250), "250 ms"),
            (.seconds(1), "1 s"), (.milliseconds(1500), "1.5 s"), (.seconds(30), "30 s"), (.seconds(119), "119 s"),
            (.seconds(120), "2 min"), (.seconds(150), "2.5 min"), (.seconds(7140), "119 min"), (.seconds(7200), "2 h"),
            (.seconds(86_400), "24 h"), (.milliseconds(-1500), "-1.5 s"), (.nanoseconds(Int64.max), "2562047.8 h"),
        ] as [(Duration, String)]
    )
    func writesADurationAsAPersonWould(_ duration: Duration, _ text: String) {
        #expect(duration.shortText == text)
    }

    @Test func writesTheLongestDurationToo() {
        #expect(Duration.seconds(Int64.max).shortText == "2562047788015215.5 h")
        #expect(Duration(attoseconds: .max).shortText == "2562047788015215.5 h")
        #expect(Duration(attoseconds: .min).shortText == "-2562047788015215.5 h")
    }

    @Test func limitsSecondsToSixtyFourBits() {
        #expect(Duration(attoseconds: .max).inSeconds == 0x1p63)
        #expect(Duration(attoseconds: .min).inSeconds == -0x1p63)
    }

    @Test(
        arguments: [
            (1, 2, 3), (.max, 1, .max), (.max, .max, .max), (.min, -1, .min), (.min, .min, .min), (.max, .min, -1),
        ] as [(Int64, Int64, Int64)]
    )
    func addsSaturating(_ left: Int64, _ right: Int64, _ sum: Int64) {
        #expect(left.addingSaturated(right) == sum)
        #expect(right.addingSaturated(left) == sum)
    }

    @Test(
        arguments: [
            (3, 2, 1), (.min, 1, .min), (.max, -1, .max), (0, .min, .max), (-1, .min, .max), (-2, .max, .min),
            (.min, .min, 0),
        ] as [(Int64, Int64, Int64)]
    )
    func subtractsSaturating(_ left: Int64, _ right: Int64, _ difference: Int64) {
        #expect(left.subtractingSaturated(right) == difference)
    }
}
