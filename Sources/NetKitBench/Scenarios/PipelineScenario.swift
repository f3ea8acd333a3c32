import Foundation
import NetKit

/// The cost of the pipeline on top of a transport that responds at once.
struct PipelineScenario: Scenario {
    let name = "pipeline"
    let summary = "What a call costs on top of its transport, over a mock that responds at once."

    private static let callsPerRound = 20_000

    private enum Kind: String, CaseIterable {
        case direct = "direct"
        case client = "client"
        case crowded = "client + 10 no-ops"
        case foreign = "client + one in a task"
        case busy = "client, 1,000 running"
        case typed = "typed call"
    }

    /// Runs off the main actor, as a service's callers do.
    ///
    /// On the main actor, each call would include two thread switches.
    @concurrent
    func run(_ settings: BenchSettings) async throws -> ScenarioReport {
        let rounds = settings.rounds ?? 9
        let setup = PipelineSetup()
        let parked = await setup.parkCalls(1000)
        let contenders = Kind.allCases.map { kind in
            Contender(name: kind.rawValue) { try await Self.measure(kind, setup) }
        }
        let results = try await Contest(rounds: rounds, seed: settings.seed).run(contenders)
        parked.release()
        Progress.show("\(name): growth and callers side by side")
        let growth = try await growth(rounds)
        let scaling = try await Contest(rounds: rounds, seed: settings.seed).run([
            Contender(name: "1 caller") { try await Self.measure(.client, setup) },
            Contender(name: "64 callers") { await Self.measure(callers: 64, setup) },
        ])
        return report(results, rounds: rounds, growth: growth, scaling: scaling)
    }

    private static func measure(_ kind: Kind, _ setup: PipelineSetup) async throws -> Measurement {
        setup.forget()
        let request = setup.request
        // The mock alone does not create a context, which the client does for each call.
        let context = RequestContext.test()
        return try await Measurement.of(calls: callsPerRound) {
            for _ in 0..<callsPerRound {
                switch kind {
                case .direct: _ = try await setup.transport.send(setup.absolute, context: context).status
                case .client: _ = try await setup.client.send(request, options: setup.options()).status
                case .crowded: _ = try await setup.crowded.send(request, options: setup.options()).status
                case .foreign: _ = try await setup.foreign.send(request, options: setup.options()).status
                case .busy: _ = try await setup.busy.send(request, options: setup.options()).status
                case .typed: let _: Void = try await setup.client.send(.get("/users/42"))
                }
            }
        }
    }

    /// Returns the CPU time of a call after many others, as a ratio to a call on a new client.
    private func growth(_ rounds: Int) async throws -> Summary? {
        var ratios: [Double] = []
        for _ in 0..<max(3, rounds / 2) {
            let fresh = PipelineSetup()
            let first = try await Self.measure(.client, fresh)
            for _ in 0..<5 { _ = try await Self.measure(.client, fresh) }
            let later = try await Self.measure(.client, fresh)
            ratios.append(later.cpu / first.cpu)
        }
        return Summary(ratios)
    }

    private static func measure(callers: Int, _ setup: PipelineSetup) async -> Measurement {
        setup.forget()
        return await Measurement.of(calls: callsPerRound, callers: callers) { _ in
            _ = try await setup.client.send(setup.request, options: setup.options()).status
        }
    }

    private func report(
        _ results: Contest.Results,
        rounds: Int,
        growth: Summary?,
        scaling: Contest.Results
    ) -> ScenarioReport {
        func added(_ kind: Kind, to other: Kind) -> Double? {
            results.difference(of: kind.rawValue, from: other.rawValue, \.cpu)?.median
        }
        let busy = results.ratio(of: Kind.busy.rawValue, to: Kind.client.rawValue, \.cpu)
        let scaled = scaling.ratio(of: "64 callers", to: "1 caller", \.perSecond)
        let title = "\(rounds) rounds of \(NumberText.text(Double(Self.callsPerRound))) calls, in turn"
        return ScenarioReport(
            name: name,
            summary: summary,
            tables: [ResultTable(title: title, of: results, Gauge.callCosts)],
            figures: [
                Figure("default chain over the mock alone, µs", added(.client, to: .direct), .atMost(3.5)),
                Figure("ten no-op interceptors, µs", added(.crowded, to: .client), .atMost(1)),
                Figure("1,000 calls running, ratio", busy?.median, .atMost(1.25)),
                Figure("after 120,000 calls, ratio", growth?.median, .atMost(1.25)),
                Figure("64 callers over one, calls a second", scaled?.median, .atLeast(1.5)),
            ],
            notes: scaling.failureNotes
        )
    }
}
