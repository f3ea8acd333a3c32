import Foundation
import NetKit

/// A queue in a folder, and callers that put entries of 1 KB into it.
struct QueueSubject: Sendable {
    private let queue: OfflineQueue
    private static let body = HTTPBody.data(Data(repeating: UInt8(ascii: "x"), count: 1024), contentType: "text/plain")

    static func open(_ folder: URL) async throws -> QueueSubject {
        var configuration = OfflineQueue.Configuration()
        configuration.maxEntries = .max
        configuration.maxBytes = .max
        return QueueSubject(queue: try await OfflineQueue(directory: folder, configuration: configuration))
    }

    private func enqueue(lane: String = QueuedRequest.defaultLane) async throws {
        try await queue.enqueue(QueuedRequest(HTTPRequest(.post, "/orders", body: Self.body), lane: lane))
    }

    /// A sender that responds at once, and counts its requests.
    private final class InstantSender: RequestSending {
        let count = Locked(0)

        func send(_ request: HTTPRequest, options: CallOptions) async throws -> HTTPResponse {
            count.withLock { $0 += 1 }
            return HTTPResponse(status: 204)
        }
    }

    /// Delivers everything to a sender that responds at once, and measures it.
    func drain() async -> Measurement {
        let sender = InstantSender()
        return await Measurement.counting {
            await queue.attach(sender)
            await queue.processQueue()
            return (sender.count.withLock { $0 }, [:])
        }
    }

    /// Returns the times of enqueues in milliseconds, shortest first.
    ///
    /// Meanwhile everything except a backlog is delivered at once, so that the journal is compacted repeatedly.
    func churn(_ duration: Duration, backlog: Int, callers: Int) async throws -> [Double] {
        await queue.pause(lane: "backlog")
        try await fill(backlog, lanes: ["backlog"])
        await queue.attach(InstantSender())
        let end = ContinuousClock.now + duration
        return try await withThrowingTaskGroup(of: [Double].self) { group in
            for caller in 0..<callers {
                group.addTask {
                    var times: [Double] = []
                    while ContinuousClock.now < end {
                        let start = ContinuousClock.now
                        try await enqueue(lane: "\(caller)")
                        times.append(start.duration(to: .now).seconds * 1000)
                    }
                    return times
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }.sorted()
        }
    }

    func measure(_ duration: Duration, callers: Int) async -> Measurement {
        await Measurement.during(duration, callers: callers) { try await enqueue() }
    }

    func fill(_ count: Int, lanes: [String] = [QueuedRequest.defaultLane]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    for _ in 0..<count / 100 { try await enqueue(lane: lanes[number % lanes.count]) }
                }
            }
            try await group.waitForAll()
        }
    }

    func close() async {
        await queue.close()
    }
}
