import Foundation
import NetKit

/// The growth of a call's cost with the number of hosts, calls and header fields, and with the size of the body.
struct GrowthScenario: Scenario {
    let name = "curves"
    let summary = "The CPU time of the process by hosts, calls that run, header fields and bytes, as curves."

    private static let callers = 16
    /// The numbers of header fields, for which the server has a location each.
    static let fieldCounts = [10, 20, 50, 100, 200]

    @concurrent
    func run(_ settings: BenchSettings) async throws -> ScenarioReport {
        ProcessLimits.raiseDescriptors()
        return try await ServerProcess.lend(settings.server) { server in
            var report = ScenarioReport(name: name, summary: summary, server: server.name)
            for growth in try Self.growths(server) {
                Progress.show("\(name): \(growth.title)")
                let contenders = growth.sizes.map { size in
                    Contender(name: NumberText.text(Double(size))) { try await growth.measure(size) }
                }
                let results = try await Contest(rounds: settings.rounds ?? 5, seed: settings.seed).run(contenders)
                let curve = Curve(
                    title: growth.title,
                    sizeName: growth.sizeName,
                    costName: "µs of CPU",
                    points: zip(growth.sizes, results.names).compactMap { size, name in
                        results.summary(of: name) { $0.cpu * growth.callsForOneCost(size) }
                            .map { Curve.Point(size: Double(size), cost: $0) }
                    }
                )
                report.curves.append(curve)
                report.tables.append(curve.table)
                report.figures += [
                    curve.figure, Figure("\(growth.title), failed", Double(results.failureCount), .atMost(0)),
                ]
                report.notes += results.failureNotes.map { "\(growth.title): \($0)" }
                report.notes += [growth.note(curve)].compactMap(\.self)
            }
            return report
        }
    }

    /// One of the sizes that a cost depends on.
    private struct Growth: Sendable {
        let title: String
        let sizeName: String
        let sizes: [Int]
        /// The number of calls that make up the cost of a size.
        var callsForOneCost: @Sendable (Int) -> Double = { _ in 1 }
        /// A sentence about the measured curve.
        var note: @Sendable (Curve) -> String? = { _ in nil }
        let measure: @Sendable (Int) async throws -> Measurement
    }

    private static func growths(_ server: ServerAddress) throws -> [Growth] {
        let client = HTTPClient(transport: try CurlTransport())
        var growths = [
            hosts(server, try unbounded(loops: 1)), atOnce(server, client), held(server, try unbounded(loops: 8)),
        ]
        // The mock server has no locations with header fields.
        if server.isNginx { growths.append(fields(server, client)) }
        return growths + [bytes(server, client)]
    }

    /// Returns a client without bounds on its connections, none of which is closed because there are many.
    private static func unbounded(loops: Int) throws -> HTTPClient {
        var configuration = CurlTransport.Configuration()
        configuration.connections = .init(maxTotal: 0, maxPerHost: 0, maxIdle: 16_384)
        configuration.loops = loops
        return HTTPClient(transport: try CurlTransport(configuration: configuration))
    }

    /// One call to each host, over connections that are open.
    private static func hosts(_ server: ServerAddress, _ client: HTTPClient) -> Growth {
        Growth(
            title: "One call to each host",
            sizeName: "hosts",
            sizes: [1, 10, 100, 1000],
            callsForOneCost: { Double($0) },
            measure: { count in
                // libcurl connects each name below `localhost` to this machine.
                let urls = (0..<count).map { server.small.replacingHost(by: "host\($0).localhost") }
                return await .of(calls: 4000, callers: callers) { number in
                    _ = try await client.data(from: urls[number % count])
                }
            }
        )
    }

    /// Calls that begin at once; most of them wait for one of the 256 connections.
    private static func atOnce(_ server: ServerAddress, _ client: HTTPClient) -> Growth {
        Growth(
            title: "Calls that begin at once",
            sizeName: "calls",
            sizes: [1, 10, 100, 1000, 10_000],
            callsForOneCost: { Double($0) },
            measure: { count in
                await .atOnce(count) { _ = try await client.data(from: server.small) }
            }
        )
    }

    /// Calls that all wait for the server at the same time, each on a connection of its own.
    ///
    /// libcurl looks at every connection of a loop for each call, so that thousands of connections need several loops.
    private static func held(_ server: ServerAddress, _ client: HTTPClient) -> Growth {
        Growth(
            title: "Calls that the server holds",
            sizeName: "calls",
            sizes: [10, 100, 1000, 10_000],
            callsForOneCost: { Double($0) },
            measure: { count in
                await .atOnce(count) { _ = try await client.data(from: server.held) }
            }
        )
    }

    /// The same number of header fields in the request and in the response, all of which are read.
    private static func fields(_ server: ServerAddress, _ client: HTTPClient) -> Growth {
        Growth(
            title: "Header fields of request and response",
            sizeName: "fields",
            sizes: fieldCounts,
            note: { curve in
                guard let first = curve.points.first, let last = curve.points.last else { return nil }
                let each = (last.cost.median - first.cost.median) / (last.size - first.size)
                return
                    "A field that is sent and one that is received and read cost \(NumberText.text(each)) µs together."
            },
            measure: { count in
                var request = HTTPRequest(.get, server.fast.appending(path: "fields\(count)"))
                for number in 0..<count { request.headers["X-Field-\(number)"] = "value of the field \(number)" }
                return await .of(calls: 2000, callers: callers) { [request] _ in
                    let response = try await client.send(request, options: buffered)
                    guard response.headers.count(where: { $0.name.hasPrefix("X-Field") }) == count else {
                        throw UnexpectedResponse("too few header fields")
                    }
                }
            }
        )
    }

    /// One body in memory.
    private static func bytes(_ server: ServerAddress, _ client: HTTPClient) -> Growth {
        Growth(
            title: "A body in memory",
            sizeName: "bytes",
            sizes: [100, 10_000, 1_000_000, 100_000_000],
            measure: { count in
                var request = HTTPRequest(.get, server.large)
                request.headers["Range"] = "bytes=0-\(count - 1)"
                return await .of(
                    calls: min(2000, max(4, 200_000_000 / count)),
                    callers: count > 1 << 20 ? 1 : callers
                ) { [request] _ in
                    let response = try await client.send(request, options: buffered)
                    guard response.body.buffered?.count == count else { throw UnexpectedResponse("another size") }
                }
            }
        )
    }

    private static let buffered = CallOptions(delivery: .buffered(upTo: 1 << 30))
}

extension URL {
    fileprivate func replacingHost(by host: String) -> URL {
        var parts = URLComponents(url: self, resolvingAgainstBaseURL: false)
        parts?.host = host
        return parts?.url ?? self
    }
}
