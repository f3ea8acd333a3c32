import NetKitTesting
import Testing

@testable import NetKit

struct RollingWindowTests {
    private var window = RollingWindow(length: .seconds(10))

    @Test mutating func countsSuccessesAndFailures() {
        for second in 0..<5 { window.add(isFailure: second < 2, now: .seconds(Double(second))) }
        #expect(window.total == 5)
        #expect(window.failures == 2)
    }

    @Test mutating func forgetsASliceAtATime() {
        for second in 0..<10 { window.add(isFailure: second.isMultiple(of: 2), now: .seconds(Double(second) + 0.5)) }
        #expect(window.total == 10)
        window.advance(to: .seconds(10.1))
        #expect(window.total == 9)
        #expect(window.failures == 4)
        window.advance(to: .seconds(14.9))
        #expect(window.total == 5)
        window.advance(to: .seconds(19.9))
        #expect(window.total == 0)
        #expect(window.failures == 0)
    }

    @Test mutating func forgetsEverythingAfterALongTime() {
        window.add(isFailure: true, now: .seconds(3))
        window.advance(to: .distantFuture)
        #expect(window.total == 0)
        window.add(isFailure: true, now: .distantFuture)
        #expect(window.failures == 1)
    }

    @Test mutating func aLateFailureTakesThePlaceOfASuccess() {
        window.add(isFailure: false, now: .seconds(1))
        window.add(isFailure: true, now: .seconds(2))
        window.addLateFailure(now: .seconds(5))
        #expect(window.total == 2)
        #expect(window.failures == 2)
        window.advance(to: .seconds(12.5))
        #expect(window.total == 1)
        window.addLateFailure(now: .seconds(12.5))
        #expect(window.total == 2)
        window.advance(to: .distantFuture)
        #expect(window.total == 0 && window.failures == 0)
    }

    @Test mutating func aLateFailureTakesThePlaceOfOneSuccessOnly() {
        for second in [1, 3, 5] { window.add(isFailure: false, now: .seconds(Double(second))) }
        window.addLateFailure(now: .seconds(6))
        #expect(window.total == 3)
        #expect(window.failures == 1)
    }

    @Test mutating func aLateResultCountsInTheLatestSlice() {
        window.add(isFailure: false, now: .seconds(9))
        window.add(isFailure: true, now: .seconds(2))
        window.advance(to: .seconds(18.5))
        #expect(window.total == 2)
        window.advance(to: .seconds(19))
        #expect(window.total == 0)
    }

    @Test mutating func timeMayBeginBelowZero() {
        window.add(isFailure: true, now: .seconds(-25))
        window.add(isFailure: true, now: .seconds(-20.5))
        #expect(window.failures == 2)
        window.advance(to: .seconds(-9))
        #expect(window.failures == 0)
    }

    @Test(arguments: [4, 5, 6] as [UInt64])
    func countsNineToTenTenthsOfItsLength(seed: UInt64) {
        var random = RandomSource.seeded(seed)
        var window = RollingWindow(length: .milliseconds(100))
        var events: [(now: Int64, isFailure: Bool)] = []
        var now: Int64 = 0
        for _ in 0..<3000 {
            now += Int64.random(in: 0...8_000_000, using: &random)
            let isFailure = Bool.random(using: &random)
            window.add(isFailure: isFailure, now: .init(nanoseconds: now))
            events.append((now, isFailure))
            let atMost = events.filter { $0.now > now - 100_000_000 }
            let atLeast = events.filter { $0.now > now - 90_000_000 }
            #expect(atLeast.count <= window.total && window.total <= atMost.count)
            let failures = window.failures
            #expect(atLeast.count { $0.isFailure } <= failures && failures <= atMost.count { $0.isFailure })
        }
    }
}
