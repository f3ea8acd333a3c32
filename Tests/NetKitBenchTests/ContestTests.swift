import NetKit
import NetKitTesting
import Testing

@testable import netkit_bench

/// Tests of how rounds run and how they are compared.
struct ContestTests {
    private func contender(_ name: String, _ log: Locked<[String]>.Box) -> Contender {
        Contender(name: name) {
            log.value.withLock { $0.append(name) }
            return Measurement(calls: 1, cpu: 1, wall: 1)
        }
    }

    @Test func everyRoundRunsEachContenderOnceAndTheFirstIsNotCounted() async throws {
        let log = Locked<[String]>.Box([])
        let names = ["a", "b", "c"]
        let results = try await Contest(rounds: 4, seed: 1).run(names.map { contender($0, log) })
        let order = log.value.withLock { $0 }
        #expect(order.count == 15)
        let rounds = stride(from: 0, to: 15, by: 3).map { Array(order[$0..<($0 + 3)]) }
        for round in rounds { #expect(round.sorted() == names) }
        #expect(Set(rounds).count > 1)
        for name in names { #expect(results[name].count == 4) }
    }

    @Test func withoutWarmingUpEveryRoundCounts() async throws {
        let log = Locked<[String]>.Box([])
        let results = try await Contest(rounds: 2, seed: 1, warmsUp: false).run([contender("a", log)])
        #expect(results["a"].count == 2)
        #expect(log.value.withLock { $0.count } == 2)
    }

    @Test func theSameSeedGivesTheSameOrder() {
        let orders = (0..<2).map { _ in
            let random = RandomSource.seeded(7)
            return (0..<5).map { _ in Contest.order(of: 6, random) }
        }
        #expect(orders[0] == orders[1])
        #expect(orders[0].allSatisfy { $0.sorted() == Array(0..<6) })
    }

    /// A slow round that slows both must not show in the ratio.
    @Test func ratiosAreTakenRoundByRound() {
        var results = Contest.Results(names: ["own", "other"])
        for (own, other) in [(10.0, 20.0), (100, 200), (12, 24)] {
            results.add(Measurement(calls: 1, cpu: 1, wall: own), to: 0)
            results.add(Measurement(calls: 1, cpu: 1, wall: other), to: 1)
        }
        #expect(results.ratio(of: "own", to: "other", \.wall)?.text == "0.50 (0.50…0.50)")
        #expect(results.ratio(of: "own", to: "other", \.perSecond)?.median == 2)
        #expect(results.ratio(of: "own", to: "nobody", \.wall) == nil)
        #expect(results.difference(of: "other", from: "own", \.wall)?.text == "12 (10…100)")
    }

    @Test func aRoundWithFailedCallsIsNotCompared() {
        var results = Contest.Results(names: ["own", "other"])
        results.add(Measurement(calls: 1, cpu: 1, wall: 1), to: 0)
        results.add(Measurement(calls: 1, cpu: 1, wall: 60, failures: ["timeout": 1]), to: 1)
        #expect(results.ratio(of: "own", to: "other", \.wall) == nil)
        results.add(Measurement(calls: 1, cpu: 1, wall: 3), to: 0)
        results.add(Measurement(calls: 1, cpu: 1, wall: 2), to: 1)
        #expect(results.ratio(of: "own", to: "other", \.wall) == Summary([1.5]))
    }

    @Test func failuresAreAddedUpInWords() {
        var results = Contest.Results(names: ["own"])
        for _ in 0..<2 { results.add(Measurement(calls: 9, cpu: 1, wall: 1, failures: ["b": 1, "a": 2]), to: 0) }
        #expect(results.failureNotes == ["own: calls failed: 4 × a, 2 × b."])
        #expect(results.failureCount == 6)
    }

    @Test func aMeasurementConvertsToTotalsAndRates() {
        let measurement = Measurement(calls: 2000, cpu: 50, wall: 250, failures: ["a": 2, "b": 1])
        #expect(measurement.perSecond == 4000)
        #expect(measurement.seconds == 0.5)
        #expect(measurement.cpuSeconds == 0.1)
        #expect(measurement.failureCount == 3)
    }

    @Test func callersCallUntilTheTimeIsOver() async {
        let count = Locked<Int>.Box(0)
        let measurement = await Measurement.during(.milliseconds(20), callers: 3) {
            let number = count.value.withLock { count in
                count += 1
                return count
            }
            if number == 1 { throw UnexpectedResponse("odd") }
        }
        #expect(measurement.calls == count.value.withLock { $0 })
        #expect(measurement.failures == ["odd": 1])
    }

    @Test func callersShareTheCallsAndTheirFailuresAreCounted() async {
        let numbers = Locked<[Int]>.Box([])
        let measurement = await Measurement.of(calls: 7, callers: 3) { number in
            numbers.value.withLock { $0.append(number) }
            if number == 4 { throw UnexpectedResponse("odd") }
        }
        #expect(numbers.value.withLock { $0.sorted() } == Array(0..<7))
        #expect(measurement.calls == 7)
        #expect(measurement.failures == ["odd": 1])
    }
}

extension Locked where Value: Sendable {
    /// A lock that several closures hold.
    final class Box: Sendable {
        let value: Locked<Value>

        init(_ value: Value) {
            self.value = Locked(value)
        }
    }
}
