import Foundation
import NetKit

/// Opens a long queue, in a process in which nothing else has taken memory.
struct QueueOpenJob: ChildJob {
    static let name = "queue-open"

    let folder: String

    struct Result: Codable, Sendable {
        let entries: Int
        let seconds: Double
        let peakMegabytes: Double?
    }

    @concurrent
    func run() async throws -> Result {
        let start = ContinuousClock.now
        let queue = try await OfflineQueue(directory: URL(fileURLWithPath: folder))
        let entries = await queue.pendingCount
        let seconds = start.duration(to: .now).seconds
        let peak = ProcessMemory.peak.map { Double($0) / 1e6 }
        await queue.close()
        return Result(entries: entries, seconds: seconds, peakMegabytes: peak)
    }
}
