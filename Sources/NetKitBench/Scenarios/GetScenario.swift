import Foundation
import NetKit

/// Small answers, one after the other, by a number of callers side by side.
struct GetScenario: Scenario {
    /// What the calls go over.
    enum Wire: Sendable, CaseIterable {
        case plain
        case tls
        case http2
    }

    let name: String
    let summary: String
    let wire: Wire
    let clients: [ClientKind]
    /// How many callers there are; nil for what the command line says.
    let callers: [Int]?

    static let plain = GetScenario(
        name: "get",
        summary: "GET with an answer of 1 KiB, buffered, over loopback.",
        wire: .plain,
        clients: ClientKind.all,
        callers: nil
    )
    static let tls = GetScenario(
        name: "get-tls",
        summary: "The same over TLS and HTTP/1.1, by 64 callers, over connections that stay open.",
        wire: .tls,
        clients: ClientKind.overCurl,
        callers: [64]
    )
    static let http2 = GetScenario(
        name: "get-h2",
        summary: "The same over HTTP/2, by 64 callers.",
        wire: .http2,
        clients: ClientKind.overCurl,
        callers: [64]
    )

    private static let roundLength = Duration.milliseconds(300)

    @concurrent
    func run(_ settings: BenchSettings) async throws -> ScenarioReport {
        try await ServerProcess.lend(settings.server) { server in
            var report = ScenarioReport(name: name, summary: summary, server: server.name)
            let (url, authorities) = try place(of: server)
            let clients = try clients.map { (name: $0.name, client: try $0.make(trusting: authorities)) }
            #if os(Linux)
                let floors = try FloorKind.all.map { (name: $0.name, floor: try Floor($0)) }
            #endif
            for callers in callers ?? settings.callers {
                settings.progress("\(callers) callers")
                var contenders = clients.map { name, client in
                    Contender(name: name) {
                        await Measurement.during(Self.roundLength, callers: callers) {
                            let count = try await client.get(url)
                            guard count == ServerAddress.smallSize else { throw UnexpectedAnswer("\(count) bytes") }
                        }
                    }
                }
                #if os(Linux)
                    let task = Floor.Task(
                        url: url,
                        extent: .time(Self.roundLength),
                        callers: callers,
                        authorities: authorities,
                        answerSize: ServerAddress.smallSize
                    )
                    contenders += floors.map { name, floor in
                        Contender(name: name) { try await floor.measure(task) }
                    }
                #endif
                let contest = Contest(rounds: settings.rounds ?? 9, seed: settings.seed)
                add(try await contest.run(contenders), callers: callers, to: &report)
            }
            return report
        }
    }

    private func place(of server: ServerAddress) throws -> (url: URL, authorities: String?) {
        if wire == .plain { return (server.small, nil) }
        let secure = try server.needSecure()
        let base = wire == .tls ? secure.http1 : secure.http2
        return (base.appending(path: "small"), secure.authorities)
    }

    private func add(_ results: Contest.Results, callers: Int, to report: inout ScenarioReport) {
        let words = Self.words(callers)
        let bare = ClientKind.urlSession.name
        let floor = FloorKind.fastest(in: results)
        var columns: [ResultTable.Column] = [
            .init(name: "requests/s", isCharted: true), .init(name: "CPU for a request, µs", isCharted: true),
        ]
        if floor != nil { columns += [.init(name: "to the floor"), .init(name: "CPU to the floor")] }
        if results.names.contains(bare) { columns.append(.init(name: "ratio to \(bare)")) }
        var table = ResultTable(title: words, columns: columns + [.init(name: "failed")])
        table.rows = results.names.map { name in
            var cells = [results.summary(of: name, \.perSecond), results.summary(of: name, \.cpu)]
            if let floor {
                cells.append(results.ratio(of: name, to: floor, \.perSecond))
                cells.append(results.ratio(of: name, to: floor, \.cpu))
            }
            if results.names.contains(bare) { cells.append(results.ratio(of: name, to: bare, \.perSecond)) }
            return .init(name: name, cells: cells + [Summary(single: Double(results.failureCount(of: name)))])
        }
        report.tables.append(table)
        if let floor { report.notes.append("\(words): the floor is the faster one, \(floor).") }
        report.notes += results.failureNotes.map { "\(words): \($0)" }
        report.figures += GetFigures(wire: wire, callers: callers).figures(of: results)
    }

    static func words(_ callers: Int) -> String { callers == 1 ? "1 caller" : "\(callers) callers" }
}
