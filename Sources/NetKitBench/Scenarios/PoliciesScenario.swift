import Foundation
import NetKit

/// The cost of a service's policies for a call without failures: alone, together, and with many callers.
struct PoliciesScenario: Scenario {
    let name = "policies"
    let summary = "What retry, auth, breaker, limits and headers add to a call, over a mock that responds at once."

    private static let callsPerRound = 20_000

    /// Runs off the main actor, as a service's callers do.
    @concurrent
    func run(_ settings: BenchSettings) async throws -> ScenarioReport {
        let rounds = settings.rounds ?? 9
        let setup = PoliciesSetup()
        let singles = zip(PoliciesSetup.policies, setup.single).map { policy, subject in (policy.name, subject) }
        let subjects = [("none", setup.none)] + singles + [("all", setup.all)]
        let contenders = subjects.map { name, subject in
            Contender(name: name) { await subject.measure(calls: Self.callsPerRound, callers: 1) }
        }
        let results = try await Contest(rounds: rounds, seed: settings.seed).run(contenders)
        let crowds = [8, 64].map { callers in
            Contender(name: "\(callers)") { await setup.all.measure(calls: Self.callsPerRound, callers: callers) }
        }
        let scaling = try await Contest(rounds: rounds, seed: settings.seed).run(crowds)
        let added = results.difference(of: "all", from: "none", \.cpu)
        let title = "\(rounds) rounds of \(NumberText.text(Double(Self.callsPerRound))) calls, in turn"
        return ScenarioReport(
            name: name,
            summary: summary,
            tables: [ResultTable(title: title, of: results, Gauge.callCosts)],
            figures: [
                Figure("all policies together, µs", added?.median, .atMost(4)),
                Figure(
                    "64 callers over 8, calls a second",
                    scaling.ratio(of: "64", to: "8", \.perSecond)?.median,
                    .atLeast(0.9)
                ),
            ],
            notes: results.failureNotes + scaling.failureNotes
        )
    }
}
