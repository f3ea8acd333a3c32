import Foundation
import NetKit

/// The process that keeps requests for a server that is gone, and is killed.
struct TourVictim {
    let folder: URL
    let server: URL
    let output: CommandOutput

    func run() async throws {
        let queue = try await OfflineQueue(directory: folder, sender: HTTPClient(baseURL: server))
        for number in 1...3 {
            let order = QueuedRequest(HTTPRequest(.post, "/orders", body: .json(["number": number])), lane: "orders")
            let receipt = try await queue.enqueue(order)
            output.text("order \(number) is safe: \(receipt.idempotencyKey)")
        }
        let change = QueuedRequest(
            HTTPRequest(.put, "/notes/1", body: .json(Note(text: "milk, eggs"))),
            lane: "notes",
            baseETag: "\"v1\"",
            baseData: Data(#"{"text": "milk"}"#.utf8)
        )
        try await queue.enqueue(change)
        output.text("a change of a note is safe")
        output.text("waiting")
        // Whoever has started it ends it; should nobody do so, it ends by itself.
        try await Task.sleep(for: .seconds(30))
    }

    struct Note: Codable {
        var text: String
    }
}
