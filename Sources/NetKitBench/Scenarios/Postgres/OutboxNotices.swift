import Foundation
import NetKit
import NetKitPostgres
import NetKitTesting

/// The time from an enqueue of one process to the sending of another.
struct OutboxNotices: Sendable {
    let address: DatabaseAddress
    let database: Postgres

    private static let count = 300

    func run(_ settings: BenchSettings) async throws -> PostgresScenario.Part {
        let listening = try await Postgres(address.url)
        let apart = try await measure(sender: listening, gap: .milliseconds(60)...(.milliseconds(140)), settings.seed)
        let dense = try await measure(sender: listening, gap: .milliseconds(5)...(.milliseconds(15)), settings.seed)
        await listening.close()
        var rows = [("10 a second", apart, 25.0), ("100 a second", dense, 25)]
        var part = PostgresScenario.Part()
        if let pooler = try await DatabasePooler.start(before: address) {
            defer { pooler.stop() }
            let polling = try await Postgres(pooler.url)
            let times = try await measure(sender: polling, gap: .milliseconds(60)...(.milliseconds(140)), settings.seed)
            await polling.close()
            // The interval of polling, and 50 ms.
            rows.append(("10 a second, without notices", times, 1050))
        } else {
            part.notes = ["pgbouncer is missing, so the time without notices was not measured. Install pgbouncer."]
        }
        part.tables = [
            ResultTable(
                title: "From the enqueue to the sending of another process, ms",
                columns: [.init(name: "median"), .init(name: "99 %"), .init(name: "longest")],
                rows: rows.map { Self.row($0.0, $0.1) }
            )
        ]
        part.figures = rows.map { name, times, bound in
            Figure("\(name): 99 % are sent by another process within, ms", Self.quantile(times, 0.99), .atMost(bound))
        }
        return part
    }

    private static func row(_ name: String, _ times: [Double]) -> ResultTable.Row {
        .init(name: name, cells: [0.5, 0.99, 1].map { quantile(times, $0).map(Summary.init(single:)) })
    }

    private static func quantile(_ times: [Double], _ part: Double) -> Double? {
        times.isEmpty ? nil : times[min(times.count - 1, Int(Double(times.count) * part))]
    }

    /// Returns the times in milliseconds, shortest first.
    private func measure(sender: Postgres, gap: ClosedRange<Duration>, _ seed: UInt64) async throws -> [Double] {
        let name = "notices-\(UUID().uuidString.prefix(8))"
        let (begun, ended) = (Arrivals(), Arrivals())
        let queue = try await NotingSender { ended.note($0.headers["X-Number"] ?? "") }.queue(sender.outbox(name))
        try await address.wait(untilShared: name, by: 1)
        let store = database.outbox(name)
        var random = RandomSource.seeded(seed)
        for number in 0..<Self.count {
            let pause = Double.random(in: gap.lowerBound.seconds...gap.upperBound.seconds, using: &random)
            try await Task.sleep(for: .seconds(pause))
            var request = PostgresScenario.request(lane: "lane\(number)")
            request.headers["X-Number"] = "\(number)"
            begun.note("\(number)")
            _ = try await store.append(OfflineAddition(request: request, byteCount: 1100), within: OfflineBounds())
        }
        for _ in 0..<100 where ended.count < Self.count { try await Task.sleep(for: .milliseconds(50)) }
        await queue.close()
        let ends = ended.all
        return begun.all.map { number, start in
            ends[number].map { start.duration(to: $0).seconds * 1e3 } ?? .infinity
        }
        .sorted()
    }
}
