import Foundation
import NetKit
import NetKitTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct OfflineConflictTimeTests {
    /// A body that takes two minutes.
    private final class SlowBody: ResponseBodySource {
        private let time: TestClock
        private let rest = Locked([Data("theirs".utf8)])

        init(_ time: TestClock) { self.time = time }

        var trailers: HTTPHeaders? { nil }

        func next() async throws -> Data? {
            time.advance(by: .seconds(60))
            return rest.withLock { $0.popLast() }
        }

        func cancel(_ reason: any Error) {}
    }

    @Test func theTimeOfASlowResponseIsNoDifferenceOfClocks() async throws {
        let time = TestClock()
        let sender = ScriptedSender { sent in
            guard sent.request.headers["If-Match"] != "\"s\"" else { return HTTPResponse(status: 204) }
            let headers: HTTPHeaders = [
                "ETag": "\"s\"", "Date": HTTPDate.format(time.date),
                "Last-Modified": HTTPDate.format(time.date.addingTimeInterval(-20)),
            ]
            return HTTPResponse(status: 412, headers: headers, body: ResponseBody(source: SlowBody(time)))
        }
        let queue = try await OfflineQueue.testing(sender, time) { $0.conflictStrategy = .newerWins }
        let events = queue.events
        // It was made ten seconds after the server's version.
        let edit = QueuedRequest(
            HTTPRequest(.put, "/note", body: .text("mine")),
            baseETag: "\"b\"",
            timestamp: time.date.addingTimeInterval(-10)
        )
        let made = edit.timestamp
        try await queue.enqueue(edit)
        let event = try #require(await events.first(.conflict))
        #expect(event.conflict?.serverTimestamp == made.addingTimeInterval(-10))
        await queue.processQueue()
        #expect(sender.sent.entries.map { $0.request.headers["If-Match"] } == ["\"b\"", "\"s\""])
        await queue.close()
    }

    /// With the time of enqueueing, an old change would win over a newer version of the server.
    @Test func theTimeOfAChangeCanBeSetAfterwards() async throws {
        let time = TestClock()
        let queue = try await OfflineQueue.testing(nil, time)
        let unchanged = QueuedRequest(HTTPRequest(.put, "/note", body: .text("mine")))
        var edit = QueuedRequest(HTTPRequest(.put, "/note", body: .text("mine")))
        edit.timestamp = time.date.addingTimeInterval(-3600)
        try await queue.enqueue(unchanged)
        try await queue.enqueue(edit)
        #expect(await queue.pending.map(\.timestamp) == [time.date, time.date.addingTimeInterval(-3600)])
        await queue.close()
    }
}
