import Testing

@testable import netkit_bench

/// Tests of medians, ranges and the format of numbers.
struct SummaryTests {
    @Test func oneOutlierDoesNotMoveTheMedian() throws {
        let summary = try #require(Summary([5, 1, 1000]))
        #expect(summary.median == 5)
        #expect(summary.low == 1)
        #expect(summary.high == 1000)
        #expect(summary.text == "5 (1…1,000)")
    }

    @Test func theMedianOfAnEvenNumberLiesBetweenTheTwoInTheMiddle() {
        #expect(Summary([4, 1, 3, 100])?.median == 3.5)
    }

    @Test func aSummaryOfNoNumbersIsNil() {
        #expect(Summary([]) == nil)
        #expect(Summary([.nan, .infinity]) == nil)
        #expect(Summary([.nan, 2])?.median == 2)
    }

    @Test func aSingleNumberHasNoRange() {
        #expect(Summary(single: 7).text == "7")
    }

    @Test(arguments: [
        (0, "0"), (0.004, "0.00"), (0.5, "0.50"), (2, "2"), (2.345, "2.35"), (23.46, "23.5"), (234.5, "234"),
        (999.6, "1,000"), (1234.5, "1,234"), (1_234_567, "1,234,567"), (-1234, "-1,234"), (.nan, "none"),
    ])
    func numbersAreWrittenForPeople(_ value: Double, _ text: String) {
        #expect(NumberText.text(value) == text)
    }

    @Test(arguments: [(12, "12 bytes"), (1500, "1.50 kB"), (209_715_200, "210 MB"), (2_500_000_000, "2.50 GB")])
    func bytesHaveUnits(_ count: Double, _ text: String) {
        #expect(NumberText.bytes(count) == text)
    }

    @Test(arguments: [(2.5, "2.50 s"), (0.0123, "12.3 ms"), (0.000_004, "4 µs")])
    func durationsHaveUnits(_ seconds: Double, _ text: String) {
        #expect(NumberText.seconds(seconds) == text)
    }
}
