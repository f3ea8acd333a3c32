import Foundation
import NetKit

/// Small responses, one after the other, for a number of concurrent callers.
struct GetScenario: Scenario {
    /// The protocol of the calls.
    enum Wire: Sendable, CaseIterable {
        case plain
        case tls
        case http2
    }

    let name: String
    let summary: String
    let wire: Wire
    let clients: [ClientKind]

    static let plain = GetScenario(
        name: "get",
        summary: "GET with a response of 1 KiB over loopback.",
        wire: .plain,
        clients: ClientKind.allSmall
    )
    static let tls = GetScenario(
        name: "get-tls",
        summary: "The same over TLS and HTTP/1.1, over connections that stay open.",
        wire: .tls,
        clients: ClientKind.smallOverCurl
    )
    static let http2 = GetScenario(
        name: "get-h2",
        summary: "The same over HTTP/2.",
        wire: .http2,
        clients: ClientKind.smallOverCurl
    )

    private static let roundLength = Duration.milliseconds(300)

    @concurrent
    func run(_ settings: BenchSettings) async throws -> ScenarioReport {
        try await ServerProcess.lend(settings.server) { server in
            var report = ScenarioReport(name: name, summary: summary, server: server.name)
            let (url, authorities) = try place(of: server)
            let clients = try clients.map {
                (name: $0.name, client: try $0.make(ClientSettings(authorities: authorities)))
            }
            #if os(Linux)
                let floors = try FloorKind.all.map { (name: $0.name, floor: try Floor($0)) }
            #endif
            for callers in settings.callers {
                Progress.show("\(name): \(Self.words(callers))")
                var contenders = clients.map { name, client in
                    Contender(name: name) {
                        await Measurement.during(Self.roundLength, callers: callers) {
                            let count = try await client.get(url)
                            guard count == ServerAddress.smallSize else { throw UnexpectedResponse("\(count) bytes") }
                        }
                    }
                }
                #if os(Linux)
                    let task = Floor.Task(
                        url: url,
                        extent: .time(Self.roundLength),
                        callers: callers,
                        authorities: authorities,
                        responseSize: ServerAddress.smallSize
                    )
                    contenders += floors.map { name, floor in
                        Contender(name: name) { try await floor.measure(task) }
                    }
                #endif
                let contest = Contest(rounds: settings.rounds ?? 15, seed: settings.seed)
                add(try await contest.run(contenders), callers: callers, to: &report)
            }
            return report
        }
    }

    private func place(of server: ServerAddress) throws -> (url: URL, authorities: String?) {
        if wire == .plain { return (server.small, nil) }
        let secure = try server.requireSecure()
        let base = wire == .tls ? secure.http1 : secure.http2
        return (base.appending(path: "small"), secure.authorities)
    }

    private func add(_ results: Contest.Results, callers: Int, to report: inout ScenarioReport) {
        let words = Self.words(callers)
        let bare = ClientKind.urlSession.name
        let floor = FloorKind.fastest(in: results)
        var gauges: [Gauge] = [
            .each("requests/s", isCharted: true, \.perSecond), .each("CPU for a request, µs", isCharted: true, \.cpu),
        ]
        if let floor {
            gauges += [.ratio("to the floor", to: floor, \.perSecond), .ratio("CPU to the floor", to: floor, \.cpu)]
        }
        if results.names.contains(bare) { gauges.append(.ratio("ratio to \(bare)", to: bare, \.perSecond)) }
        report.tables.append(ResultTable(title: words, of: results, gauges + [.failed]))
        if let floor { report.notes.append("\(words): the floor is the faster one, \(floor).") }
        report.notes += results.failureNotes.map { "\(words): \($0)" }
        report.figures += GetFigures(wire: wire, callers: callers).figures(of: results)
    }

    static func words(_ callers: Int) -> String { callers == 1 ? "1 caller" : "\(callers) callers" }
}
