import Foundation
import NetKit

/// A queue in a folder, and callers that put entries of 1 KB into it.
struct QueueSubject: Sendable {
    private let queue: OfflineQueue
    private static let body = HTTPBody.data(Data(repeating: UInt8(ascii: "x"), count: 1024), contentType: "text/plain")

    static func open(_ folder: URL) async throws -> QueueSubject {
        var configuration = OfflineQueue.Configuration()
        configuration.maxCount = .max
        configuration.maxBytes = .max
        return QueueSubject(queue: try await OfflineQueue(directory: folder, configuration: configuration))
    }

    private func enqueue() async throws {
        try await queue.enqueue(QueuedRequest(HTTPRequest(.post, "/orders", body: Self.body)))
    }

    func measure(_ duration: Duration, callers: Int) async -> Measurement {
        await Measurement.during(duration, callers: callers) { try await enqueue() }
    }

    func fill(_ count: Int) async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    for _ in 0..<count / 100 { try? await enqueue() }
                }
            }
        }
    }

    func close() async {
        await queue.close()
    }
}
