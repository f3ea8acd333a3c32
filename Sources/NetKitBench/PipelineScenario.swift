import Foundation
import NetKit

/// What the pipeline costs on top of a transport that answers at once.
///
/// The contenders run in turns, round by round, so that noise hits each alike; figures compare medians of one run.
struct PipelineScenario {
    let rounds: Int
    private let callsPerRound = 20_000

    private static let contenders = ["direct", "client", "client + 10 no-ops", "client, 1,000 running", "typed call"]

    /// Runs off the main actor, as a service's callers do: from there each call would be measured with two thread switches.
    @concurrent
    func run() async -> Bool {
        #if DEBUG
            print("note: this is a debug build; the figures hold for `-c release` only")
        #endif
        var results: [String: [Measurement]] = [:]
        let setup = Setup()
        let parked = await setup.parkCalls(1000)
        for round in 0...rounds {
            for name in Self.contenders {
                guard let measurement = try? await measure(name, setup) else {
                    print("\(name): a call failed")
                    return false
                }
                // The first round warms up.
                if round > 0 { results[name, default: []].append(measurement) }
            }
        }
        parked.release()
        let growth = await growth(setup)
        let scaling = await scaling(setup)
        return report(results, growth: growth, scaling: scaling)
    }

    private func measure(_ name: String, _ setup: Setup) async throws -> Measurement {
        setup.forget()
        let request = setup.request
        return try await Measurement.of(calls: callsPerRound) {
            for _ in 0..<callsPerRound {
                switch name {
                case "direct": _ = try await setup.transport.send(setup.absolute, context: .test()).status
                case "client": _ = try await setup.client.send(request, options: setup.options()).status
                case "client + 10 no-ops": _ = try await setup.crowded.send(request, options: setup.options()).status
                case "client, 1,000 running": _ = try await setup.busy.send(request, options: setup.options()).status
                default: let _: Void = try await setup.client.send(.get("/users/42"))
                }
            }
        }
    }

    /// CPU of a call behind many others, as a ratio to a call on a new client.
    private func growth(_ setup: Setup) async -> Summary {
        var ratios: [Double] = []
        for _ in 0..<max(3, rounds / 2) {
            let fresh = Setup()
            guard let first = try? await measure("client", fresh) else { continue }
            for _ in 0..<5 { _ = try? await measure("client", fresh) }
            guard let later = try? await measure("client", fresh) else { continue }
            ratios.append(later.cpu / first.cpu)
        }
        return Summary(ratios)
    }

    /// Calls a second of 64 callers, as a ratio to one caller's.
    private func scaling(_ setup: Setup) async -> Summary {
        var ratios: [Double] = []
        for _ in 0..<rounds {
            guard let one = try? await measure("client", setup) else { continue }
            setup.forget()
            let (calls, callers) = (callsPerRound / 64, 64)
            let many = await Measurement.of(calls: calls * callers) {
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<callers {
                        group.addTask {
                            for _ in 0..<calls {
                                _ = try? await setup.client.send(setup.request, options: setup.options()).status
                            }
                        }
                    }
                }
            }
            ratios.append(one.wall / many.wall)
        }
        return Summary(ratios)
    }

    private func report(_ results: [String: [Measurement]], growth: Summary, scaling: Summary) -> Bool {
        print(
            "CPU for each call in µs, median (lowest…highest) of \(rounds) rounds of \(callsPerRound) calls, in turns"
        )
        for name in Self.contenders {
            print("  \(name.padding(toLength: 24, withPad: " ", startingAt: 0)) \(cpu(of: name, results).text)")
        }
        let client = cpu(of: "client", results).median
        let figures = [
            Figure("default chain over the mock alone, µs", client - cpu(of: "direct", results).median, atMost: 5),
            Figure("ten no-op interceptors, µs", cpu(of: "client + 10 no-ops", results).median - client, atMost: 1),
            Figure(
                "1,000 calls running, ratio",
                cpu(of: "client, 1,000 running", results).median / client,
                atMost: 1.25
            ),
            Figure("after 120,000 calls, ratio", growth.median, atMost: 1.25),
            Figure("64 callers over one, calls a second", scaling.median, atLeast: 1.5),
        ]
        print("\nfigures")
        for figure in figures { print("  \(figure.text)") }
        return figures.allSatisfy(\.isMet)
    }

    private func cpu(of name: String, _ results: [String: [Measurement]]) -> Summary {
        Summary((results[name] ?? []).map(\.cpu))
    }
}

/// A figure that has to be reached.
struct Figure {
    let name: String
    let value: Double
    let isMet: Bool
    private let wanted: String

    init(_ name: String, _ value: Double, atMost limit: Double) {
        (self.name, self.value) = (name, value)
        isMet = value <= limit
        wanted = "at most \(Summary.format(limit))"
    }

    init(_ name: String, _ value: Double, atLeast limit: Double) {
        (self.name, self.value) = (name, value)
        isMet = value >= limit
        wanted = "at least \(Summary.format(limit))"
    }

    var text: String {
        let padded = name.padding(toLength: 40, withPad: " ", startingAt: 0)
        return "\(padded) \(Summary.format(value))  \(wanted): \(isMet ? "met" : "MISSED")"
    }
}
