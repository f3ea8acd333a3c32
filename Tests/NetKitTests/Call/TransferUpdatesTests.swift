import Foundation
import NetKitTesting
import Testing

@testable import NetKit

struct TransferUpdatesTests {
    private let time = TestClock()

    private func rest(of updates: TransferUpdates) async -> [TransferProgress] {
        await updates.reduce(into: []) { $0.append($1) }
    }

    @Test func sharesRateAndTimeLeft() {
        let progress = TransferProgress(completed: 250, total: 1000, bytesPerSecond: 50)
        #expect(progress.fractionCompleted == 0.25)
        #expect(progress.timeLeft == .seconds(15))
        #expect(TransferProgress(completed: 5).fractionCompleted == nil)
        #expect(TransferProgress(completed: 5, total: 10).timeLeft == nil)
        #expect(TransferProgress(completed: 0, total: 0).fractionCompleted == nil)
        #expect(TransferProgress(completed: 20, total: 10).fractionCompleted == 1)
        let done = TransferProgress(completed: 0, total: 0, isFinished: true)
        #expect(done.fractionCompleted == 1)
        #expect(done.timeLeft == .zero)
    }

    @Test func absurdNumbersDoNotTrap() {
        let progress = TransferProgress(completed: -1, total: .max, bytesPerSecond: 1)
        #expect(progress.timeLeft == .nanoseconds(Int64.max))
    }

    /// Two copies of a hedged call send the same bytes.
    @Test func attemptsThatRunAtOnceDoNotAddUp() {
        let updates = TransferUpdates()
        updates.begin(total: 1000, clock: time.clock)
        let first = Attempt(number: 1, start: time.now, deadline: nil, updates: updates)
        let second = Attempt(number: 2, start: time.now, deadline: nil, updates: updates)
        first.noteSent(600)
        second.noteSent(500)
        first.noteSent(100)
        #expect(updates.current.completed == 700)
        first.noteOver()
        first.noteSent(300)
        #expect(updates.current.completed == 700)
        #expect(first.sentByteCount == 1000)
    }

    @Test func aSecondCopyDoesNotSetTheProgressBack() {
        let updates = TransferUpdates()
        let call = Call(
            HTTPRequest(.put, "/x", body: .data(Data(count: 1000))),
            options: CallOptions(progress: updates),
            delivery: .streamed,
            timeouts: .standard,
            settings: Call.Settings(clock: time.clock),
            start: time.now
        )
        let first = call.beginAttempt(deadline: nil)
        first.noteHandedOver()
        time.advance(by: .seconds(10))
        first.noteSent(600)
        _ = call.beginAttempt(deadline: nil)
        #expect(updates.current.completed == 600)
        time.advance(by: .milliseconds(100))
        first.noteSent(10)
        #expect(updates.current.completed == 610)
        #expect(updates.current.bytesPerSecond ?? 0 < 100)
        first.noteOver()
        let lost = AttemptRecord(
            number: 1,
            startedAfter: .zero,
            duration: .seconds(10),
            status: nil,
            code: .connectionLost,
            outcome: .unknown,
            serverDelay: nil,
            delay: nil
        )
        call.note(lost, start: time.now)
        _ = call.beginAttempt(deadline: nil)
        #expect(updates.current.completed == 0)
    }

    @Test func tellsAtMostOnceInAnInterval() async {
        let updates = TransferUpdates(every: .milliseconds(100))
        let reader = Task { await rest(of: updates) }
        updates.begin(total: 1000, clock: time.clock)
        var told: Set<Int64> = []
        for _ in 0..<100 {
            time.advance(by: .milliseconds(10))
            updates.note(10)
            told.insert(updates.current.completed)
        }
        updates.end(isSuccess: true)
        let seen = await reader.value
        #expect(told.count == 100)
        #expect(seen.count <= 12)
        #expect(seen.last?.isFinished == true)
        #expect(seen.last?.completed == 1000)
        #expect(seen.last?.bytesPerSecond == 1000)
    }

    /// A slow reader sees the newest update, and always the last one.
    @Test(arguments: [true, false])
    func theLastUpdateIsAlwaysDelivered(_ isSuccess: Bool) async {
        let updates = TransferUpdates(every: .seconds(1))
        updates.begin(total: 100, clock: time.clock)
        updates.note(40)
        updates.note(2)
        updates.end(isSuccess: isSuccess)
        updates.note(7)
        let seen = await rest(of: updates)
        #expect(seen.count == 1)
        #expect(seen.first?.isFinished == isSuccess)
        #expect(seen.first?.completed == (isSuccess ? 100 : 42))
    }

    @Test func aRetryBeginsAgain() async {
        let updates = TransferUpdates()
        updates.begin(total: 100, clock: time.clock)
        updates.note(60)
        updates.begin(completed: 20, total: 100, clock: time.clock)
        #expect(updates.current.completed == 20)
        #expect(updates.current.attempt == 2)
        time.advance(by: .seconds(2))
        updates.note(30)
        #expect(updates.current.bytesPerSecond == 15)
    }

    @Test func anUnknownTotalIsKnownAtTheEnd() async {
        let updates = TransferUpdates()
        updates.begin(total: nil, clock: time.clock)
        updates.note(7)
        #expect(updates.current.fractionCompleted == nil)
        updates.end(isSuccess: true)
        #expect(updates.current.total == 7)
        #expect(updates.current.fractionCompleted == 1)
    }

    @Test func aSequenceOfAnyCallEndsWithIt() async throws {
        let transport = MockTransport()
        transport.stub(.post, "/v1/a", .status(503), .status(200))
        let retry = RetryPolicy(
            maxAttempts: 2,
            backoffStrategy: .fixed(interval: .zero),
            jitter: .none,
            retryableMethods: [.post]
        )
        let client = HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [RetryInterceptor(retry)])
        let updates = TransferUpdates(every: .zero)
        async let seen = rest(of: updates)
        let request = HTTPRequest(.post, "/a", body: .data(Data(count: 10)))
        _ = try await client.send(request, options: CallOptions(progress: updates))
        let last = await seen.last
        #expect(last == updates.current)
        #expect(last?.isFinished == true)
        #expect(last?.completed == 10)
        #expect(last?.attempt == 2)
        let failing = TransferUpdates()
        async let end = rest(of: failing)
        await #expect(throws: NetKitError.self) {
            try await client.send(HTTPRequest(.get, "/missing"), options: CallOptions(progress: failing))
        }
        #expect(await end.last?.isFinished == false)
    }

    @Test func aClosureReceivesTheProgressOfAnUpload() async throws {
        let transport = MockTransport()
        transport.stub(.post, "/v1/a", .status(200))
        let client = HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [])
        let seen = Notebook<TransferProgress>()
        let beside = TransferUpdates()
        async let others = rest(of: beside)
        let form = MultipartForm { $0.field("a", "b") }
        try await client.upload(form, to: "/a", options: CallOptions(progress: beside)) { seen.add($0) }
        let length = try #require(transport.requests.first?.body.count)
        #expect(seen.entries.last?.isFinished == true)
        #expect(seen.entries.last?.completed == Int64(length))
        #expect(await others.last == seen.entries.last)
    }

    @Test func aClosureReceivesTheProgressOfADownload() async throws {
        let folder = try TemporaryFolder()
        let transport = MockTransport()
        transport.stub(.get, "/v1/a", .stream([Data(count: 5), Data(count: 6)]))
        transport.stub(.get, "/v1/b", .status(404))
        let client = HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [])
        let seen = Notebook<TransferProgress>()
        try await client.download("/a", to: folder.url) { seen.add($0) }
        #expect(seen.entries.last?.isFinished == true)
        #expect(seen.entries.last?.completed == 11)
        let failed = Notebook<TransferProgress>()
        await #expect(throws: NetKitError.self) { try await client.download("/b", to: folder.url) { failed.add($0) } }
        #expect(failed.entries.last?.isFinished == false)
    }
}
