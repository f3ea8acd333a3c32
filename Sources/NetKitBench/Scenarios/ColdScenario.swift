import Foundation
import NetKit

/// The first calls of a new client over TLS, all at once.
struct ColdScenario: Scenario {
    let name = "cold"
    let summary = "64 GETs at once over TLS, the first of a new client; connected: after `connect(to:count:)`."

    private static let calls = 64

    private struct Way: Sendable {
        let name: String
        let url: URL
        /// The number of connections that are opened ahead.
        let connections: Int
    }

    @concurrent
    func run(_ settings: BenchSettings) async throws -> ScenarioReport {
        try await ServerProcess.lend(settings.server) { server in
            let secure = try server.requireSecure()
            let ways = [
                Way(name: "HTTP/1.1, cold", url: secure.http1.appending(path: "small"), connections: 0),
                Way(name: "HTTP/1.1, connected", url: secure.http1.appending(path: "small"), connections: Self.calls),
                Way(name: "HTTP/2, cold", url: secure.http2.appending(path: "small"), connections: 0),
                Way(name: "HTTP/2, connected", url: secure.http2.appending(path: "small"), connections: 1),
            ]
            let contenders = ways.map { way in
                Contender(name: way.name) { try await Self.measure(way, authorities: secure.authorities) }
            }
            let contest = Contest(rounds: settings.rounds ?? 15, seed: settings.seed)
            return report(try await contest.run(contenders), server: server)
        }
    }

    private static func measure(_ way: Way, authorities: String) async throws -> Measurement {
        var configuration = CurlTransport.Configuration()
        configuration.tls.roots = .file(authorities)
        let transport = try CurlTransport(configuration: configuration)
        let client = HTTPClient(transport: transport)
        if way.connections > 0 { try await client.connect(to: way.url, count: way.connections) }
        let opened = Locked(0)
        var measurement = await Measurement.atOnce(calls) {
            let options = CallOptions(delivery: .buffered(upTo: 1 << 20))
            let response = try await client.send(HTTPRequest(.get, way.url), options: options)
            if response.timings.reusedConnection == false { opened.withLock { $0 += 1 } }
        }
        measurement.connections = opened.withLock { $0 }
        await client.shutdown()
        await transport.shutdown()
        return measurement
    }

    private func report(_ results: Contest.Results, server: ServerAddress) -> ScenarioReport {
        var report = ScenarioReport(name: name, summary: summary, server: server.name, notes: results.failureNotes)
        let connections = Gauge.each("opened connections") { $0.connections.map(Double.init) }
        let time = Gauge.each("until all have ended, ms", isCharted: true) { $0.seconds * 1e3 }
        let cpu = Gauge.each("CPU, ms", isCharted: true) { $0.cpuSeconds * 1e3 }
        report.tables = [ResultTable(title: "\(Self.calls) calls", of: results, [connections, time, cpu, .failed])]
        report.figures = [("HTTP/2, cold", 1.0), ("HTTP/2, connected", 0)].map { name, bound in
            Figure("\(name), opened connections", connections.read(results, name)?.high, .atMost(bound))
        }
        report.figures += results.names.map { .noFailure(of: $0, in: results) }
        return report
    }
}
