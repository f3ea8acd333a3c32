import Foundation
import NetKit

/// The cost of a service's policies for a call without failures: alone, together, and with many callers.
struct PoliciesScenario: Scenario {
    let name = "policies"
    let summary = "What retry, auth, breaker, limits and headers add to a call, over a mock that answers at once."

    private static let callsPerRound = 20_000

    /// Runs off the main actor, as a service's callers do.
    @concurrent
    func run(_ settings: BenchSettings) async throws -> ScenarioReport {
        let rounds = settings.rounds ?? 9
        let setup = PoliciesSetup()
        let singles = zip(PoliciesSetup.policies, setup.single).map { policy, subject in (policy.name, subject) }
        let subjects = [("none", setup.none)] + singles + [("all", setup.all)]
        let contenders = subjects.map { name, subject in
            Contender(name: name) { try await subject.measure(calls: Self.callsPerRound, callers: 1) }
        }
        let results = try await Contest(rounds: rounds, seed: settings.seed).run(contenders)
        var ratios: [Double] = []
        for _ in 0..<rounds {
            let few = try await setup.all.measure(calls: Self.callsPerRound, callers: 8)
            let many = try await setup.all.measure(calls: Self.callsPerRound, callers: 64)
            ratios.append(few.wall / many.wall)
        }
        return report(results, rounds: rounds, scaling: Summary(ratios))
    }

    private func report(_ results: Contest.Results, rounds: Int, scaling: Summary?) -> ScenarioReport {
        var table = ResultTable(
            title: "\(rounds) rounds of \(NumberText.text(Double(Self.callsPerRound))) calls, in turn",
            columns: [.init(name: "CPU for a call, µs", isCharted: true), .init(name: "wall for a call, µs")]
        )
        table.rows = results.names.map { name in
            .init(name: name, cells: [results.summary(of: name, \.cpu), results.summary(of: name, \.wall)])
        }
        func cpu(_ name: String) -> Double { results.summary(of: name, \.cpu)?.median ?? .nan }
        return ScenarioReport(
            name: name,
            summary: summary,
            tables: [table],
            figures: [
                Figure("all policies together, µs", cpu("all") - cpu("none"), .atMost(4)),
                Figure("64 callers over 8, calls a second", scaling?.median, .atLeast(0.9)),
            ]
        )
    }
}
