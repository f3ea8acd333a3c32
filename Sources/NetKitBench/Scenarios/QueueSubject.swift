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

    /// A sender that responds at once.
    private struct InstantSender: RequestSending {
        func send(_ request: HTTPRequest, options: CallOptions) async throws -> HTTPResponse {
            HTTPResponse(status: 204)
        }
    }

    /// Delivers everything to a sender that responds at once, and returns the number of seconds that this took.
    func drain() async -> Double {
        let start = ContinuousClock.now
        await queue.attach(InstantSender())
        await queue.processQueue()
        return start.duration(to: .now).seconds
    }

    /// Returns the times of enqueues in milliseconds, shortest first.
    ///
    /// Meanwhile everything except a backlog is delivered at once, so that the journal is compacted repeatedly.
    func churn(_ duration: Duration, backlog: Int, callers: Int) async -> [Double] {
        await queue.pause(lane: "backlog")
        await fill(backlog, lanes: ["backlog"])
        await queue.attach(InstantSender())
        let end = ContinuousClock.now + duration
        return await withTaskGroup(of: [Double].self) { group in
            for caller in 0..<callers {
                group.addTask {
                    var times: [Double] = []
                    while ContinuousClock.now < end {
                        let start = ContinuousClock.now
                        try? await enqueue(lane: "\(caller)")
                        times.append(start.duration(to: .now).seconds * 1000)
                    }
                    return times
                }
            }
            return await group.reduce(into: []) { $0 += $1 }.sorted()
        }
    }

    func measure(_ duration: Duration, callers: Int) async -> Measurement {
        await Measurement.during(duration, callers: callers) { try await enqueue() }
    }

    func fill(_ count: Int, lanes: [String] = [QueuedRequest.defaultLane]) async {
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    for _ in 0..<count / 100 { try? await enqueue(lane: lanes[number % lanes.count]) }
                }
            }
        }
    }

    func close() async {
        await queue.close()
    }
}
