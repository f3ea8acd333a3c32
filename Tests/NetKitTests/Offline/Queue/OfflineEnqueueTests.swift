import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// What the queue takes, refuses and coalesces.
struct OfflineEnqueueTests {
    @Test func whatCannotBeKeptIsRefused() async throws {
        let queue = try await OfflineQueue.testing(nil)
        let stream = AsyncStream<Data> { $0.finish() }
        let refused: [(QueuedRequest, NetKitError.Code)] = [
            (QueuedRequest(HTTPRequest(.post, "/x", body: .stream(stream))), .invalidRequest),
            (QueuedRequest(HTTPRequest(.get, "/x?access_token=abc")), .invalidRequest),
            (QueuedRequest(HTTPRequest(.get, "https://user:pass@example.com/x")), .invalidRequest),
            (QueuedRequest(HTTPRequest(.get, "/users/\("..")/x")), .invalidURL),
            (QueuedRequest(HTTPRequest("BAD METHOD", "/x")), .invalidRequest),
            (QueuedRequest(HTTPRequest(.get, "/x", headers: ["A": "b\r\nc"])), .invalidRequest),
            (QueuedRequest(HTTPRequest(.post, "/x", body: .json(Double.nan))), .encoding),
        ]
        for (request, code) in refused {
            #expect(await thrownCode { try await queue.enqueue(request) } == code, "\(request)")
        }
        #expect(await queue.pendingCount == 0)
    }

    @Test func credentialsAreNotKept() async throws {
        let queue = try await OfflineQueue.testing(nil)
        let headers: HTTPHeaders = ["Authorization": "Bearer x", "Cookie": "a=1", "X-Own": "1"]
        try await queue.enqueue(QueuedRequest(HTTPRequest(.post, "/x", headers: headers)))
        #expect(await queue.pending.first?.headers == ["X-Own": "1"])
    }

    @Test func entriesAboutTheSameThingAreCoalesced() async throws {
        let queue = try await OfflineQueue.testing(nil)
        func add(_ body: String, _ rule: CoalescingRule) async throws -> OfflineReceipt {
            let request = HTTPRequest(.put, "/note", body: .text(body))
            return try await queue.enqueue(QueuedRequest(request, coalescingKey: "note", coalescing: rule))
        }
        func bodies() async -> [String] {
            await queue.pending.map { String(decoding: $0.body?.bytes ?? Data(), as: UTF8.self) }
        }
        let first = try await add("1", .replace)
        let second = try await add("2", .replace)
        #expect(second.replaced == [first.id])
        #expect(await bodies() == ["2"])
        let kept = try await add("3", .keep)
        #expect(kept.isCoalesced)
        #expect(kept.id == second.id)
        #expect(kept.idempotencyKey == second.idempotencyKey)
        _ = try await add("4", .append)
        #expect(await bodies() == ["2", "4"])
        let last = try await add("5", .replace)
        #expect(last.replaced.count == 2)
        #expect(await bodies() == ["5"])
    }

    @Test func aFullQueueSaysSo() async throws {
        let queue = try await OfflineQueue.testing(nil) { $0.maxCount = 2 }
        try await queue.enqueue(.post("/1"))
        try await queue.enqueue(.post("/2"))
        #expect(await thrownCode { try await queue.enqueue(.post("/3")) } == .queueFull)
        let bytes = try await OfflineQueue.testing(nil) { $0.maxBytes = 100 }
        #expect(
            await thrownCode {
                try await bytes.enqueue(.post("/3", String(repeating: "x", count: 100)))
            } == .queueFull
        )
    }

    @Test func theOldestMayMakeRoomAndAnEventSaysSo() async throws {
        let queue = try await OfflineQueue.testing(nil) { configuration in
            configuration.maxCount = 2
            configuration.overflow = .dropOldest
        }
        let events = queue.events
        let first = try await queue.enqueue(.post("/1"))
        try await queue.enqueue(.post("/2"))
        try await queue.enqueue(.post("/3"))
        #expect(await events.first(.dropped)?.id == first.id)
        #expect(await queue.pending.map(\.endpoint) == ["/2", "/3"])
    }
}
