import Foundation
import NetKit

/// More different responses than a cache may keep.
struct CacheFloodJob: ChildJob {
    static let name = "cache-flood"

    let calls: Int
    let maxBytes: Int

    struct Result: Codable, Sendable, Equatable {
        /// The growth of resident memory, and the number of bytes that the store reports.
        var memoryGrowth: Int?
        var counted: Int64
        /// The CPU time for a call in each tenth, in microseconds.
        var tenths: [Double]

        var memoryGrowthMB: Double? { memoryGrowth.map { Double($0) / 1e6 } }

        /// The ratio of the last tenth to the first one in which the cache is full.
        var growth: Double? {
            guard tenths.count == 10, tenths[3] > 0 else { return nil }
            return tenths[9] / tenths[3]
        }

        var cells: [Summary?] {
            [memoryGrowthMB, Double(counted) / 1e6, tenths.first, tenths.last].map { $0.map(Summary.init(single:)) }
        }
    }

    func run() async throws -> Result {
        let body = Data(repeating: 7, count: 600)
        let transport = MockTransport { _, _ in
            HTTPResponse(
                status: .ok,
                headers: ["Content-Type": "application/json", "Cache-Control": "max-age=3600", "ETag": "\"1\""],
                // Each response has its own bytes, because a copy would take no memory.
                body: ResponseBody(Data(Array(body)))
            )
        }
        let store = MemoryCacheStore(maxBytes: maxBytes)
        let client = HTTPClient(
            baseURL: URL(string: "https://api.example.com"),
            transport: transport,
            interceptors: [CacheInterceptor(store)]
        )
        let options = CallOptions(delivery: .buffered(upTo: 1 << 20))
        func flood(_ numbers: Range<Int>) async throws {
            for number in numbers {
                _ = try await client.send(HTTPRequest(.get, "/items/\(number)"), options: options)
                if number % 1000 == 0 { transport.removeAllRequests() }
            }
        }
        try await flood(0..<2000)
        store.removeAll()
        let before = ProcessMemory.resident
        var tenths: [Double] = []
        let share = max(1, calls / 10)
        for tenth in 0..<10 {
            let measurement = try await Measurement.of(calls: share) {
                try await flood(10_000 + tenth * share..<10_000 + (tenth + 1) * share)
            }
            tenths.append(measurement.cpu)
        }
        let after = ProcessMemory.resident
        return Result(
            memoryGrowth: before.flatMap { before in after.map { $0 - before } },
            counted: store.statistics.byteCount,
            tenths: tenths
        )
    }
}
