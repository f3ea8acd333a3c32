import Foundation
import NetKit

/// Enqueues entries in two lanes while an earlier part of them is delivered.
struct ProbeWriter {
    let folder: URL
    let round: Int
    let count: Int

    func run() async throws {
        var configuration = OfflineQueue.Configuration()
        configuration.refreshInterval = .milliseconds(50)
        configuration.policy = RetryPolicy(maxAttempts: .max, backoffStrategy: .fixed(interval: .milliseconds(20)))
        let store = ProbeStore.make(folder)
        let queue = try await OfflineQueue(store: store, sender: ProbeSender(), configuration: configuration)
        await withTaskGroup(of: Void.self) { group in
            for lane in ["left", "right"] {
                group.addTask { await enqueue(lane, queue) }
            }
        }
        if count < .max {
            // A postponed entry is tried again after 20 ms, unless the disk stays broken.
            for _ in 0..<10 where await queue.pendingCount > 0 {
                await queue.processQueue()
                try? await Task.sleep(for: .milliseconds(30))
            }
            await queue.close(within: .seconds(5))
        }
    }

    private func enqueue(_ lane: String, _ queue: OfflineQueue) async {
        var number = 0
        while number < count {
            number += 1
            // Some bodies get a file of their own.
            let size = number % 7 == 3 ? 80_000 : 300
            let body = HTTPBody.data(Data(repeating: UInt8(ascii: "x"), count: size), contentType: "text/plain")
            let request = QueuedRequest(
                HTTPRequest(.post, "https://probe.invalid/\(lane)", body: body),
                lane: lane,
                tags: ["n": "\(round)-\(number)"]
            )
            do {
                let receipt = try await queue.enqueue(request)
                Output.line("ACK \(receipt.id)")
                Output.line("KEY \(receipt.id) \(receipt.idempotencyKey) \(lane) \(round)-\(number)")
            } catch {
                Output.note("\(error)")
            }
        }
    }
}

/// Accepts or refuses a request: every third entry stays, waiting or as a dead letter.
struct ProbeSender: RequestSending {
    func send(_ request: HTTPRequest, options: CallOptions) async throws -> HTTPResponse {
        guard let replay = options.tags[QueuedReplay.self] else { return HTTPResponse(status: .badRequest) }
        let last = replay.id.uuid.15
        Output.line("SEND \(replay.id) \(request.headers["Idempotency-Key"] ?? "-")")
        switch last % 6 {
        case 0: return HTTPResponse(status: 400, body: ResponseBody(Data("no".utf8)))
        case 1 where replay.attempt < 3: return HTTPResponse(status: 503)
        default:
            Output.line("DONE \(replay.id)")
            return HTTPResponse(status: 204)
        }
    }
}
