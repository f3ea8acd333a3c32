import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of many callers and outages, in virtual time: the load of retries on a host that is down, and its recovery.
@Suite(.serialized, .computes(for: .seconds(300)))
struct RetrySimulationTests {
    private struct Tally {
        var calls = 0
        var successes = 0
    }

    /// Callers that call once in a period until a time, and the results of the calls of each minute.
    private func load(
        _ simulation: Simulation,
        budget: RetryBudget? = RetryBudget(),
        callers: Int,
        every period: Duration,
        until end: Duration
    ) async throws -> [Int64: Tally] {
        let tallies = Locked<[Int64: Tally]>([:])
        let client = HTTPClient(
            baseURL: URL(string: "https://api.example.com"),
            transport: simulation.transport,
            interceptors: [RetryInterceptor(budget: budget)],
            configuration: simulation.configuration
        )
        try await aside {
            try await simulation.run {
                await simulation.callers(callers) { _ in
                    try? await simulation.sleep(for: period * simulation.random.unitInterval())
                    while simulation.now < end {
                        let minute = simulation.now.components.seconds / 60
                        let status = try? await client.send(
                            HTTPRequest(.get, "/x"),
                            options: CallOptions(priority: .background)
                        ).status
                        tallies.withLock { tallies in
                            tallies[minute, default: Tally()].calls += 1
                            if status == 200 { tallies[minute, default: Tally()].successes += 1 }
                        }
                        try? await simulation.sleep(for: period)
                    }
                }
            }
        }
        return tallies.withLock { $0 }
    }

    static let outages: [SimulatedResponse] = [
        .refused, .reset, .status(503), .status(429), .status(503, headers: ["Retry-After": "1"]),
    ]

    @Test(arguments: outages.indices)
    func aTotalOutageCausesNoStorm(index: Int) async throws {
        let simulation = Simulation(seed: 2)
        simulation.host("api.example.com", SimulatedHost(Self.outages[index]))
        let calls = try await load(simulation, callers: 1000, every: .seconds(60), until: .seconds(60))
            .values.reduce(0) { $0 + $1.calls }
        #expect(calls == 1000)
        #expect(simulation.requestCount > 1000)
        #expect(Double(simulation.requestCount) / Double(calls) <= 1.2)
    }

    @Test func withoutABudgetEachCallIsRetriedToTheEnd() async throws {
        let simulation = Simulation(seed: 2)
        simulation.host("api.example.com", SimulatedHost(.status(503)))
        _ = try await load(simulation, budget: nil, callers: 1000, every: .seconds(60), until: .seconds(60))
        #expect(simulation.requestCount == 3000)
    }

    @Test func callsSucceedAtOnceWhenTheHostIsWellAgain() async throws {
        let simulation = Simulation(seed: 3)
        let outage = Duration.seconds(60)..<(.seconds(180))
        simulation.host(
            "api.example.com",
            SimulatedHost().from(outage.lowerBound, until: outage.upperBound, .refused)
        )
        let minutes = try await load(simulation, callers: 100, every: .seconds(10), until: .seconds(300))
        for minute in [0, 3, 4] as [Int64] {
            let tally = try #require(minutes[minute])
            #expect(tally.calls > 400)
            #expect(tally.successes == tally.calls)
        }
        let down = [minutes[1], minutes[2]].compactMap { $0 }
        let calls = down.reduce(0) { $0 + $1.calls }
        let successes = down.reduce(0) { $0 + $1.successes }
        // Only callers that waited across the end of the outage, or called across its beginning, have a response from
        // it.
        #expect(successes < 60)
        let all = minutes.values.reduce(0) { $0 + $1.calls }
        #expect(Double(simulation.requestCount - (all - calls)) / Double(calls) <= 1.2)
    }

    /// Six hours of a host that fails at times: 36,000 calls, which take some seconds without optimization.
    @Test func hoursOfSmallFailuresAreHidden() async throws {
        let simulation = Simulation(seed: 4)
        simulation.host("api.example.com", SimulatedHost(.sometimes(.reset, rate: 0.02, otherwise: .status(200))))
        // The long form takes processor time for seconds from tests beside it that have time limits.
        let hours = ProcessInfo.processInfo.environment["NETKIT_LONG"] == "1" ? 6 : 2
        let minutes = try await load(simulation, callers: 50, every: .seconds(60), until: .seconds(hours * 3600))
        let calls = minutes.values.reduce(0) { $0 + $1.calls }
        let successes = minutes.values.reduce(0) { $0 + $1.successes }
        #expect(calls > hours * 2_900)
        // Three in a row fail once in 125,000 calls.
        #expect(calls - successes <= 2)
        #expect(Double(simulation.requestCount) / Double(calls) <= 1.03)
    }

    @Test(arguments: [5, 6, 7, 8] as [UInt64])
    func theTrafficStaysBoundedAtAnyRateOfFailure(seed: UInt64) async throws {
        var random = RandomSource.seeded(seed)
        let rate = Double.random(in: 0.05...0.95, using: &random)
        let simulation = Simulation(seed: seed)
        simulation.host("api.example.com", SimulatedHost(.sometimes(.status(503), rate: rate, otherwise: .status(200))))
        let minutes = try await load(simulation, callers: 200, every: .seconds(10), until: .seconds(100))
        let calls = minutes.values.reduce(0) { $0 + $1.calls }
        let successes = minutes.values.reduce(0) { $0 + $1.successes }
        let retries = simulation.requestCount - calls
        // The bucket's initial tokens, the most that each success returned, and the amount that succeeding retries
        // returned.
        #expect(Double(retries) * 14 <= 500 + Double(successes) * 14)
        #expect(successes > Int(Double(calls) * (1 - rate) * 0.9))
    }
}
