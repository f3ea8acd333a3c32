import Foundation
import NetKit

/// The speed at which events are read after their bytes have arrived.
struct EventsScenario: Scenario {
    let name = "events"
    let summary = "Server-sent events out of a stream of 64 MB, over a mock."

    private static let size = 64_000_000
    private static let chunkSize = 64 << 10

    @concurrent
    func run(_ settings: BenchSettings) async throws -> ScenarioReport {
        let text = String(repeating: "abcdefghij", count: 20)
        let kinds: [(name: String, piece: String)] = [
            ("events of 200 bytes", "id: 1234\nevent: update\ndata: \(text)\n\n"),
            ("events of 20 bytes", "data: \(text.prefix(20))\n\n"),
            ("events of many lines", String(repeating: "data: \(text.prefix(60))\n", count: 20) + "\n"),
        ]
        let contenders = kinds.map { name, piece in
            let chunks = Self.chunks(of: Data(piece.utf8))
            return Contender(name: name) { try await Self.measure(chunks) }
        }
        let rounds = settings.rounds ?? 5
        let results = try await Contest(rounds: rounds, seed: settings.seed).run(contenders)
        let megabytes = Double(Self.size) / 1e6
        let speed: @Sendable (Measurement) -> Double? = { megabytes / $0.seconds }
        return ScenarioReport(
            name: name,
            summary: summary,
            tables: [
                ResultTable(title: "\(rounds) rounds, in turn", of: results, [.each("MB/s", isCharted: true, speed)])
            ],
            figures: kinds.map { kind in
                Figure("\(kind.name), MB/s", results.summary(of: kind.name, speed)?.median, .atLeast(50))
            }
        )
    }

    /// Returns chunks of a repeated piece, which is cut wherever a chunk ends.
    private static func chunks(of piece: Data) -> [Data] {
        var whole = Data(capacity: size + piece.count)
        while whole.count < size { whole.append(piece) }
        return stride(from: 0, to: whole.count, by: chunkSize).map {
            Data(whole[$0..<min($0 + chunkSize, whole.count)])
        }
    }

    private static func measure(_ chunks: [Data]) async throws -> Measurement {
        let transport = MockTransport { _, _ in
            let body = ResponseBody(source: PreparedSource(chunks))
            return HTTPResponse(status: 200, headers: ["Content-Type": "text/event-stream"], body: body)
        }
        let client = HTTPClient(transport: transport, interceptors: [])
        return try await Measurement.of(calls: 1) {
            var count = 0
            do {
                for try await event in client.eventStream(.get("https://api.example.com/events"), retry: .none) {
                    count += event.data.utf8.count
                }
            } catch let error as NetKitError where error.code == .connectionLost {
                // The end of the stream, which nothing reconnects.
            }
            guard count > size / 4 else { throw BenchError("\(count) bytes of events are too few.") }
        }
    }
}

/// A body source whose chunks are all available.
private final class PreparedSource: ResponseBodySource {
    private let rest: Locked<ArraySlice<Data>>

    init(_ chunks: [Data]) { rest = Locked(chunks[...]) }

    var trailers: HTTPHeaders? { nil }

    func next() async throws -> Data? { rest.withLock { $0.popFirst() } }

    func cancel(_ reason: any Error) { rest.withLock { $0 = [] } }
}
