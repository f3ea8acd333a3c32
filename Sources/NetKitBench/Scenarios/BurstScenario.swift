/// Many requests at once, each round in a separate process.
struct BurstScenario: Scenario {
    let name: String
    let summary: String
    private let calls: Int
    /// Whether the server holds each request for a while, so that all of them wait at the same time.
    private let isHeld: Bool

    static let plain = BurstScenario(
        name: "burst",
        summary: "10,000 GETs started at once, in a process of their own: none may fail.",
        calls: 10_000,
        isHeld: false
    )
    static let held = BurstScenario(
        name: "hold",
        summary: "2,000 GETs at once, each held for 500 ms by the server, in a process of its own: none may fail.",
        calls: 2000,
        isHeld: true
    )

    @concurrent
    func run(_ settings: BenchSettings) async throws -> ScenarioReport {
        try await ServerProcess.lend(settings.server) { server in
            // A session has six connections, so the last of its calls would wait for minutes.
            let names =
                (isHeld ? ClientKind.overCurl : ClientKind.allSmall).map(\.name) + FloorKind.measures.map(\.name)
            let results = try await Contest.inChildren(
                rounds: settings.rounds ?? 5,
                seed: settings.seed,
                timeLimit: .seconds(120),
                names.map { ($0, BurstJob(client: $0, server: server, calls: calls, isHeld: isHeld)) }
            )
            return report(results, server: isHeld ? "MockServer" : server.name)
        }
    }

    private func report(_ results: Contest.Results, server: String) -> ScenarioReport {
        var report = ScenarioReport(name: name, summary: summary, server: server, notes: results.failureNotes)
        report.tables = [
            ResultTable(
                title: "\(NumberText.text(Double(calls))) at once",
                of: results,
                [
                    .seconds.charted, .each("CPU seconds", \.cpuSeconds), .peakMemory.charted, .memoryGrowth, .failed,
                ]
            )
        ]
        report.figures = isHeld ? heldFigures(of: results) : figures(of: results)
        return report
    }

    private func figures(of results: Contest.Results) -> [Figure] {
        let bare = ClientKind.urlSession.name
        let floor = FloorKind.fastest(in: results)
        let toFloor = ClientKind.smallOverCurl.compactMap { kind in
            floor.map { floor in
                let ratio = results.ratio(of: kind.name, to: floor, \.perSecond)?.median
                return Figure("\(kind.name) to the floor, requests/s", ratio, .atLeast(0.4))
            }
        }
        return toFloor
            + ClientKind.netKits.flatMap { kind -> [Figure] in
                let time = results.ratio(of: kind.name, to: bare, \.seconds)?.median
                let memory = results.ratio(of: kind.name, to: bare, \.peakMemoryMB)?.median
                return [
                    .noFailure(of: kind.name, in: results),
                    Figure("\(kind.name) to \(bare), time", time, .atMost(2)),
                    Figure("\(kind.name) to \(bare), peak memory", memory, .atMost(2)),
                ]
            }
    }

    private func heldFigures(of results: Contest.Results) -> [Figure] {
        ClientKind.overCurl.flatMap { kind -> [Figure] in
            [.noFailure(of: kind.name, in: results), .memoryGrowth(of: kind.name, in: results, atMost: 150)]
        }
    }
}
