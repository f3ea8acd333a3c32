import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests that a call runs in its caller's task, and that code that does not end with it is abandoned.
@Suite(.timeLimit(.minutes(5)))
struct AbandonableTaskTests {
    /// A transport that ends with its calls, and records in which task it was called.
    private struct Lean: Transport, CallBound {
        let tasks = Notebook<Int>()

        func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
            tasks.add(currentTask)
            return HTTPResponse(status: .ok)
        }
    }

    enum Place: CaseIterable, Sendable {
        case interceptor, attempt, transport, function
    }

    enum Ending: CaseIterable, Sendable {
        case byID, byTask, byDeadline, byShutdown
    }

    private let time = TestClock()
    private let stubborn = Stubborn()
    private let moment = Duration.milliseconds(500)

    private func client(_ place: Place, _ response: HTTPResponse = HTTPResponse(status: .ok)) -> HTTPClient {
        var interceptors: InterceptorList = []
        let stubborn = stubborn
        switch place {
        case .interceptor, .attempt:
            interceptors = [
                StagedInterceptor(place == .attempt ? .attempt : .call) { _, _, _ in
                    await stubborn.wait()
                    return response
                }
            ]
        case .function:
            interceptors = [
                HeadersInterceptor { _, _ in
                    await stubborn.wait()
                    return [:]
                }
            ]
        case .transport: break
        }
        let transport = ScriptedTransport { _, _ in
            if place == .transport { await stubborn.wait() }
            return response
        }
        return client(over: transport, interceptors, attemptLimit: nil)
    }

    private func client(
        over transport: some Transport,
        _ interceptors: InterceptorList = [],
        attemptLimit: Duration?
    ) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.clock = time.clock
        configuration.timeouts.attempt = attemptLimit
        return HTTPClient(
            baseURL: exampleBase,
            transport: transport,
            interceptors: interceptors,
            configuration: configuration
        )
    }

    @Test(arguments: Place.allCases, Ending.allCases)
    func codeThatDoesNotEndWithTheCallIsAbandoned(place: Place, ending: Ending) async throws {
        let client = client(place)
        let id = CallID()
        let call = Task {
            let timeout: Duration? = ending == .byDeadline ? .seconds(3) : nil
            return try await client.send(HTTPRequest(.get, "/x"), options: CallOptions(id: id, timeout: timeout))
        }
        await stubborn.begun()
        var closing: Task<Bool, Never>?
        switch ending {
        case .byID: client.cancel(id)
        case .byTask: call.cancel()
        case .byDeadline: time.advance(by: .seconds(3))
        case .byShutdown:
            closing = Task { await client.shutdown(within: .seconds(1)) }
            await time.waitForAlarms(1)
            time.advance(by: .seconds(1))
        }
        // It has a moment to end by itself.
        await time.waitForAlarms(1)
        #expect(client.activeCallCount == 1)
        time.advance(by: moment)
        let expected = [Ending.byDeadline: "timeout", .byShutdown: "closed"][ending] ?? "cancelled"
        #expect(await outcome(of: call) == expected)
        _ = await closing?.value
        #expect(client.activeCallCount == 0)
        #expect(time.alarmCount == 0)
        stubborn.release()
        try await waitUntil { stubborn.runs.entries == [true] }
    }

    /// The end comes before anything can wait for it, and the attempt's limit much later.
    @Test func codeThatEndsItsOwnCallIsAbandonedToo() async throws {
        let cancels = Notebook<@Sendable () -> Void>()
        let id = CallID()
        let transport = ScriptedTransport { [stubborn] _, _ in
            for cancel in cancels.entries { cancel() }
            await stubborn.wait()
            return HTTPResponse(status: .ok)
        }
        let client = client(over: transport, attemptLimit: .seconds(60))
        cancels.add { client.cancel(id) }
        let call = Task { try await client.send(HTTPRequest(.get, "/x"), options: CallOptions(id: id)) }
        await stubborn.begun()
        try await waitUntil { time.alarmCount > 0 && time.timeToNext == moment }
        time.advance(by: moment)
        #expect(await outcome(of: call) == "cancelled")
        #expect(time.alarmCount == 0)
        stubborn.release()
    }

    @Test func aResponseThatComesTooLateIsDropped() async throws {
        let pipe = BodyPipe()
        let client = client(.transport, HTTPResponse(status: .ok, body: ResponseBody(source: pipe)))
        let call = Task { try await client.send(HTTPRequest(.get, "/x"), options: CallOptions()) }
        await stubborn.begun()
        call.cancel()
        await time.waitForAlarms(1)
        time.advance(by: moment)
        #expect(await outcome(of: call) == "cancelled")
        stubborn.release()
        try await waitUntil { pipe.isCancelled }
    }

    @Test func anAttemptIsAbandonedAndTheNextOneBegins() async throws {
        let count = Locked(0)
        let transport = ScriptedTransport { [stubborn] _, _ in
            let number = count.increment()
            if number == 1 { await stubborn.wait() }
            return HTTPResponse(status: .ok)
        }
        let policy = RetryPolicy(maxAttempts: 2, backoffStrategy: .fixed(interval: .zero), jitter: .none)
        let client = client(over: transport, [RetryInterceptor(policy)], attemptLimit: .seconds(5))
        let call = Task { try await client.send(HTTPRequest(.get, "/x"), options: CallOptions()) }
        await stubborn.begun()
        await time.waitForAlarms(1)
        time.advance(by: .seconds(5))
        await time.waitForAlarms(1)
        time.advance(by: moment)
        let response = try await call.value
        #expect(response.status == .ok)
        #expect(response.attemptLog?.attempts.first?.code == .timeout)
        stubborn.release()
    }

    /// A transport that ends with its calls, and whose bodies do not.
    private struct Endless: Transport, CallBound {
        let pipe: BodyPipe

        func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
            HTTPResponse(status: .ok, body: ResponseBody(source: pipe))
        }
    }

    @Test(arguments: [false, true])
    func aBodyThatThePipelineCollectsEndsWithTheCallAndTheAttempt(isCancelled: Bool) async throws {
        let pipe = BodyPipe()
        let client = client(over: Endless(pipe: pipe), attemptLimit: .seconds(5))
        let options = CallOptions(delivery: .buffered(upTo: 100))
        let call = Task { try await client.send(HTTPRequest(.get, "/x"), options: options) }
        await time.waitForAlarms(1)
        if isCancelled { call.cancel() } else { time.advance(by: .seconds(5)) }
        #expect(await outcome(of: call) == (isCancelled ? "cancelled" : "timeout"))
        #expect(pipe.isCancelled)
    }

    /// A source that notices neither `cancel(_:)` nor the cancellation of its reader's task.
    private struct Deaf: ResponseBodySource {
        let stubborn: Stubborn
        var trailers: HTTPHeaders? { nil }

        func next() async throws -> Data? {
            await stubborn.wait()
            return nil
        }

        func cancel(_ reason: any Error) {}
    }

    private struct Refusing: Transport, CallBound {
        let body: Deaf

        func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
            HTTPResponse(status: .unauthorized, body: ResponseBody(source: body))
        }
    }

    @Test func aBodyThatDoesNotEndIsAbandonedByInterceptors() async throws {
        let client = client(
            over: Refusing(body: Deaf(stubborn: stubborn)),
            [AuthInterceptor(TokenStore(initial: "old", clock: TestClock().clock) { _ in "new" })],
            attemptLimit: nil
        )
        let call = Task { try await client.send(HTTPRequest(.get, "/x"), options: CallOptions(timeout: .seconds(3))) }
        await stubborn.begun()
        time.advance(by: .seconds(3))
        // The limit for the body of the refusal, and the moment.
        await time.waitForAlarms(2)
        time.advance(by: moment)
        #expect(await outcome(of: call) == "timeout")
        stubborn.release()
    }

    /// A source that notices `cancel(_:)`, but not the cancellation of its reader's task.
    private final class Told: ResponseBodySource {
        private let stubborn: Stubborn

        init(_ stubborn: Stubborn) {
            self.stubborn = stubborn
        }

        var trailers: HTTPHeaders? { nil }

        func next() async throws -> Data? {
            await stubborn.wait()
            throw CancellationError()
        }

        func cancel(_ reason: any Error) {
            stubborn.release()
        }
    }

    @Test func aBodyThatIsCollectedLearnsOfTheEndOfTheAttempt() async throws {
        let stubborn = stubborn
        let transport = ScriptedTransport { _, _ in
            HTTPResponse(status: .ok, body: ResponseBody(source: Told(stubborn)))
        }
        let client = client(over: transport, attemptLimit: .seconds(5))
        let options = CallOptions(delivery: .buffered(upTo: 100))
        let call = Task { try await client.send(HTTPRequest(.get, "/x"), options: options) }
        await stubborn.begun()
        time.advance(by: .seconds(5))
        #expect(await outcome(of: call) == "timeout")
        #expect(stubborn.runs.entries == [true])
    }

    @Test func aCancellationHandlerThatBlocksDoesNotKeepTheCall() async throws {
        let (blocked, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let stubborn = stubborn
        let transport = ScriptedTransport { _, _ in
            await withTaskCancellationHandler {
                await stubborn.wait()
            } onCancel: {
                blocked.wait()
            }
            return HTTPResponse(status: .ok)
        }
        let client = client(over: transport, attemptLimit: .seconds(60))
        let id = CallID()
        let call = Task { try await client.send(HTTPRequest(.get, "/x"), options: CallOptions(id: id)) }
        await stubborn.begun()
        // The attempt's limit is set after the task is one that can be left behind.
        await time.waitForAlarms(1)
        Thread {
            client.cancel(id)
            isOver.signal()
        }
        .start()
        try await waitUntil { time.timeToNext == moment }
        time.advance(by: moment)
        #expect(await outcome(of: call) == "cancelled")
        blocked.signal()
        stubborn.release()
        await withCheckedContinuation { continuation in
            Thread {
                isOver.wait()
                continuation.resume()
            }
            .start()
        }
    }

    // MARK: Tasks

    private struct Foreign: Interceptor {
        let tasks: Notebook<Int>

        func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
            tasks.add(currentTask)
            return try await next(request, context)
        }
    }

    private struct Adopting: Interceptor, CallBound {
        let tasks: Notebook<Int>

        func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
            tasks.add(currentTask)
            return try await next(request, context)
        }
    }

    @Test func aCallRunsInItsCallersTask() async throws {
        let (transport, tasks) = (Lean(), Notebook<Int>())
        let client = HTTPClient(
            baseURL: exampleBase,
            transport: transport,
            interceptors: .standard + [Adopting(tasks: tasks)]
        )
        _ = try await client.send(HTTPRequest(.get, "/x"), options: CallOptions(priority: .high, timeout: .seconds(60)))
        #expect(transport.tasks.entries == [currentTask])
        #expect(tasks.entries == [currentTask])
    }

    @Test func allCodeOfOthersSharesOneTask() async throws {
        let (transport, tasks) = (Lean(), Notebook<Int>())
        let client = HTTPClient(
            baseURL: exampleBase,
            transport: transport,
            interceptors: .standard + [Foreign(tasks: tasks), Foreign(tasks: tasks)]
        )
        _ = try await client.send(HTTPRequest(.get, "/x"), options: CallOptions())
        let seen = tasks.entries + transport.tasks.entries
        #expect(Set(seen).count == 1)
        #expect(seen.count == 3)
        #expect(seen.first != currentTask)
    }
}

private var currentTask: Int { withUnsafeCurrentTask { $0?.hashValue ?? 0 } }
