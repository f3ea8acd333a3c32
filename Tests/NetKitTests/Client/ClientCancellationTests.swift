import Foundation
import NetKit
import NetKitTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ClientCancellationTests {
    enum Means: String, CaseIterable {
        case task, id, all
    }

    private static let everyStageAndMeans = Stage.all.flatMap { stage in Means.allCases.map { (stage, $0) } }

    @Test(arguments: everyStageAndMeans)
    func endsTheCallInEveryStage(stage: Stage, means: Means) async {
        let waiting = Waiting(at: stage)
        let transport = MockTransport { _, _ in HTTPResponse(status: .ok) }
        let client = HTTPClient.testing(transport, waiting)
        let id = CallID()
        let call = Task { try await client.send(HTTPRequest(.get, "/"), options: CallOptions(id: id)).status }
        await waiting.waitForArrivals(1)
        cancel(call, id: id, of: client, by: means)
        #expect(await outcome(of: call) == "cancelled")
        #expect(waiting.counts == (entered: 1, left: 1))
        #expect(client.activeCallCount == 0)
        #expect(transport.requests.isEmpty)
    }

    @Test(arguments: Means.allCases)
    func endsTheExchange(means: Means) async {
        let transport = MockTransport()
        transport.stub(.get, "/", .stalled)
        let client = HTTPClient.testing(transport)
        let id = CallID()
        let call = Task { try await client.send(HTTPRequest(.get, "/"), options: CallOptions(id: id)).status }
        await transport.waitForRequests(1)
        cancel(call, id: id, of: client, by: means)
        #expect(await outcome(of: call) == "cancelled")
        #expect(client.activeCallCount == 0)
    }

    @Test(arguments: Means.allCases)
    func endsABodyThatIsBeingRead(means: Means) async throws {
        let cancelled = Flag()
        let transport = MockTransport { _, _ in
            let pipe = BodyPipe(onCancel: { _ in cancelled.set() })
            pipe.offer(Data("first".utf8))
            return HTTPResponse(status: .ok, body: ResponseBody(source: pipe))
        }
        let client = HTTPClient.testing(transport)
        let id = CallID()
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let call = Task {
            let response = try await client.send(HTTPRequest(.get, "/"), options: CallOptions(id: id))
            for try await _ in response.body { start.yield() }
            return response.status
        }
        for await _ in started { break }
        #expect(client.activeCallCount == 1)
        cancel(call, id: id, of: client, by: means)
        #expect(await outcome(of: call) == "cancelled")
        try await waitUntil { cancelled.isSet && client.activeCallCount == 0 }
    }

    @Test func aCancelledTaskSendsNothing() async {
        let transport = MockTransport { _, _ in HTTPResponse(status: .ok) }
        let client = HTTPClient.testing(transport)
        let call = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await client.send(HTTPRequest(.get, "/")).status
        }
        #expect(await outcome(of: call) == "cancelled")
        #expect(transport.requests.isEmpty)
        #expect(client.activeCallCount == 0)
    }

    @Test func anInterceptorThatIgnoresCancellationDoesNotTurnItIntoSuccess() async {
        let transport = MockTransport()
        transport.stub(.get, "/", .stalled)
        let stubborn = Intercepting { request, context, next in
            (try? await next(request, context)) ?? HTTPResponse(status: .ok)
        }
        let client = HTTPClient.testing(transport, stubborn)
        let call = Task { try await client.send(HTTPRequest(.get, "/")).status }
        await transport.waitForRequests(1)
        client.cancelAll()
        #expect(await outcome(of: call) == "cancelled")
    }

    @Test func cancelsOnlyTheCallThatIsNamed() async throws {
        let transport = MockTransport()
        transport.stub(.get, "/", .stalled)
        let client = HTTPClient.testing(transport)
        let (one, other) = (CallID(), CallID())
        let calls = [one, other].map { id in
            Task { try await client.send(HTTPRequest(.get, "/"), options: CallOptions(id: id)).status }
        }
        await transport.waitForRequests(2)
        #expect(client.cancel(one))
        #expect(await outcome(of: calls[0]) == "cancelled")
        #expect(client.activeCalls.map(\.id) == [other])
        transport.release()
        #expect(try await calls[1].value == .ok)
        #expect(!client.cancel(one))
    }

    @Test func manyCancellationsAtRandomMomentsLeaveNothingBehind() async {
        let transport = MockTransport { _, _ in
            await Task.yield()
            return HTTPResponse(status: .ok)
        }
        let client = HTTPClient.testing(transport)
        let random = RandomSource.seeded(7)
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<2000 {
                let yields = random.next() % 6
                group.addTask {
                    let call = Task { try await client.send(HTTPRequest(.get, "/")).status }
                    for _ in 0..<yields { await Task.yield() }
                    call.cancel()
                    return ["success", "cancelled"].contains(await outcome(of: call))
                }
            }
            for await isExpected in group { #expect(isExpected) }
        }
        #expect(client.activeCallCount == 0)
    }

    private func cancel(_ call: Task<HTTPStatus, any Error>, id: CallID, of client: HTTPClient, by means: Means) {
        switch means {
        case .task: call.cancel()
        case .id: #expect(client.cancel(id))
        case .all: client.cancelAll()
        }
    }
}
