import Foundation
import NetKitTesting
import Testing

@testable import NetKit

struct OfflineInterceptorTests {
    private func send(
        _ queue: OfflineQueue,
        failing error: NetKitError,
        headers: HTTPHeaders = HTTPHeaders(),
        _ deferrable: Deferrable? = Deferrable(lane: "orders")
    ) async throws -> HTTPResponse {
        let transport = MockTransport { _, _ in throw error }
        let client = HTTPClient.testing(transport, OfflineInterceptor(queue))
        var options = CallOptions()
        options.tags[Deferrable.self] = deferrable
        return try await client.send(
            HTTPRequest(.post, "/orders", headers: headers, body: .text("1")),
            options: options
        )
    }

    @Test func anUnsentRequestIsQueuedAndTheReceiptSaysWhere() async throws {
        let queue = try await OfflineQueue.testing(nil)
        do {
            _ = try await send(queue, failing: NetKitError(.connect, "refused"))
            Issue.record("it was sent")
        } catch let error as NetKitError {
            #expect(error.code == .queued)
            let entry = try #require(await queue.pending.first)
            #expect(error.receipt?.id == entry.id)
            #expect(error.receipt?.idempotencyKey == entry.idempotencyKey)
            #expect(entry.lane == "orders")
            #expect(entry.body?.bytes == Data("1".utf8))
            #expect(entry.endpoint.hasSuffix("/orders"))
        }
    }

    @Test func itsSummaryGivesTheTimeInHours() async throws {
        let queue = try await OfflineQueue.testing(nil)
        #expect(OfflineInterceptor(queue).summary.hasSuffix("attempts and 24 h"))
    }

    @Test func anUnknownOutcomeIsQueuedOnlyWithItsKey() async throws {
        let queue = try await OfflineQueue.testing(nil)
        let lost = NetKitError(.connectionLost, "lost", outcome: .unknown)
        #expect(await thrownCode { try await send(queue, failing: lost) } == .connectionLost)
        #expect(await queue.pendingCount == 0)
        #expect(await thrownCode { try await send(queue, failing: lost, headers: ["Idempotency-Key": "k"]) } == .queued)
        #expect(await queue.pending.map(\.idempotencyKey) == ["k"])
    }

    @Test func onlyUnsentDeferrableRequestsAreQueued() async throws {
        let queue = try await OfflineQueue.testing(nil)
        #expect(await thrownCode { try await send(queue, failing: NetKitError(.connect, ""), nil) } == .connect)
        #expect(
            await thrownCode { try await send(queue, failing: NetKitError(.invalidRequest, "")) } == .invalidRequest
        )
        let answered = NetKitError(.invalidResponse, "", outcome: .answered)
        #expect(await thrownCode { try await send(queue, failing: answered) } == .invalidResponse)
        #expect(await queue.pendingCount == 0)
    }

    @Test func nothingOvertakesWhatWaitsInItsLane() async throws {
        let queue = try await OfflineQueue.testing(nil)
        try await queue.enqueue(.post("/first", lane: "orders"))
        let transport = MockTransport()
        transport.stub(.post, "/orders", .status(204))
        let client = HTTPClient.testing(transport, OfflineInterceptor(queue))
        var options = CallOptions()
        options.tags[Deferrable.self] = Deferrable(lane: "orders")
        let request = HTTPRequest(.post, "/orders", body: .text("1"))
        #expect(await thrownCode { try await client.send(request, options: options) } == .queued)
        #expect(transport.requests.isEmpty)
        options.tags[Deferrable.self] = Deferrable(lane: "others")
        #expect(try await client.send(request, options: options).status == 204)
    }

    @Test func aReplayIsNotQueuedAgain() async throws {
        let transport = MockTransport { _, _ in throw NetKitError(.connect, "refused") }
        let queue = try await OfflineQueue.testing(nil)
        let client = HTTPClient.testing(transport, OfflineInterceptor(queue))
        let events = queue.events
        try await queue.enqueue(.post("/orders", lane: "orders"))
        await queue.attach(client)
        _ = await events.first(.postponed)
        #expect(await queue.pendingCount == 1)
        await queue.close()
    }
}
