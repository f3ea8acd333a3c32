import Testing

@testable import NetKit

struct HedgeRecordTests {
    @Test func theBudgetBoundsTheShareInTheLongRun() {
        var record = HedgeRecord(delay: .fixed(.milliseconds(10)), share: 0.05, reserve: 10)
        var hedges = 0
        for _ in 0..<10_000 where record.begin() != nil && record.withdraw() { hedges += 1 }
        #expect((500...512).contains(hedges))
    }

    @Test func withoutAShareOnlyTheReserveIsThere() {
        var record = HedgeRecord(delay: .fixed(.zero), share: 0, reserve: 3)
        let granted = (0..<10).count { _ in record.begin() != nil && record.withdraw() }
        #expect(granted == 3)
        let isEmpty = !record.withdraw()
        record.giveBack()
        let isFilled = record.withdraw()
        #expect(isEmpty && isFilled)
    }

    @Test func aPercentileNeedsEnoughSamples() {
        let delay = HedgeDelay.percentile(0.9, atLeast: .milliseconds(5), samples: 20)
        var record = HedgeRecord(delay: delay, share: 0.1, reserve: 10)
        for _ in 0..<19 {
            #expect(record.begin() == nil)
            record.note(.milliseconds(100))
        }
        record.note(.milliseconds(100))
        let wait = record.begin() ?? .zero
        #expect(wait >= .milliseconds(100) && wait <= .milliseconds(113))
    }

    @Test func aFastServerIsGivenTheLeastDelay() {
        var record = HedgeRecord(
            delay: .percentile(0.9, atLeast: .milliseconds(5), samples: 1),
            share: 0.1,
            reserve: 10
        )
        record.note(.microseconds(50))
        #expect(record.begin() == .milliseconds(5))
    }

    @Test func thePercentileFollowsTheServer() {
        var record = HedgeRecord(delay: .percentile(0.5, atLeast: .zero, samples: 1), share: 0.1, reserve: 10)
        for _ in 0..<2100 { record.note(.milliseconds(10)) }
        for _ in 0..<2100 { record.note(.milliseconds(200)) }
        #expect((record.begin() ?? .zero) >= .milliseconds(200))
    }

    @Test(arguments: [(Double.nan, "95%"), (.infinity, "100%"), (-3, "0%"), (0.9, "90%")])
    func aPercentileIsDescribedInItsRange(share: Double, text: String) {
        #expect(HedgeDelay.percentile(share).description.hasPrefix("the time \(text) of calls take"))
    }
}
