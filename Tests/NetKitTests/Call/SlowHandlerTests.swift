import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of users' code that an alarm runs, and that blocks its thread: nothing else waits for it.
///
/// Only the real clock has a thread that fires alarms, so the tests use it. They measure nothing: a blocked task would
/// never end while the handler blocks.
@Suite(.timeLimit(.minutes(5)))
struct SlowHandlerTests {
    /// A way from an alarm to a user's code.
    enum Way: CaseIterable, Sendable {
        case alarm, withDeadline, deadline, deadlineInCallersTask, bodyEnd, bodySource, attempt, refresh
    }

    /// A transport over which a call needs no task of its own.
    private struct Lean: Transport, CallBound {
        func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
            HTTPResponse(status: .ok)
        }
    }

    /// An interceptor that is not NetKit's.
    private struct Held: Interceptor {
        let stage: Stage
        let handler: SlowHandler

        func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
            try await handler.wait()
            return try await next(request, context)
        }
    }

    private static let soon = Duration.milliseconds(5)

    @Test(arguments: Way.allCases)
    func holdsUpNoOtherAlarm(_ way: Way) async throws {
        let handler = SlowHandler()
        let held = Task { try await Self.begin(way, handler) }
        await handler.waitForRuns(1)
        // A sleep, a deadline and a call that the same handler would block.
        try await NetKitClock.system.sleep(for: .milliseconds(1))
        await #expect(throws: NetKitError.self) {
            try await withDeadline(.milliseconds(1)) { try await Task.sleep(for: .seconds(60)) }
        }
        let parked = MockTransport { _, context in
            try await context.clock.sleep(for: .seconds(60))
            return HTTPResponse(status: .ok)
        }
        let client = HTTPClient.testing(parked)
        let call = Task { try await client.send(HTTPRequest(.get, "/x"), options: CallOptions(timeout: Self.soon)) }
        #expect(await outcome(of: call) == "timeout")
        handler.release(1)
        _ = await held.result
        try await waitUntil { handler.endings.count == 1 }
        #expect(handler.endings.entries == [true])
    }

    /// Takes one way to the handler, again if a call's time is over before it is there.
    private static func begin(_ way: Way, _ handler: SlowHandler) async throws {
        switch way {
        case .alarm:
            _ = NetKitClock.system.schedule(at: NetKitClock.system.now.advanced(by: soon)) { handler.run() }
        case .withDeadline:
            try await NetKit.withDeadline(soon) { try await handler.wait() }
        case .deadline:
            let client = HTTPClient.testing(MockTransport(), Held(stage: .call, handler: handler))
            await send(to: handler, by: client)
        case .deadlineInCallersTask:
            let headers = HeadersInterceptor { _, _ in
                try await handler.wait()
                return [:]
            }
            await send(to: handler, by: HTTPClient.testing(Lean(), headers))
        case .bodyEnd:
            let response = await stream(to: handler) { BodyPipe() }
            response?.onEnd { _ in handler.run() }
            try await waitUntil { handler.endings.count == 1 }
            withExtendedLifetime(response) {}
        case .bodySource:
            let response = await stream(to: handler) { BodyPipe(onCancel: { _ in handler.run() }) }
            try await waitUntil { handler.endings.count == 1 }
            withExtendedLifetime(response) {}
        case .attempt:
            let timeouts = Timeouts(attempt: soon)
            let client = HTTPClient.testing(
                MockTransport(),
                Held(stage: .attempt, handler: handler),
                timeouts: timeouts
            )
            _ = try await client.send(HTTPRequest(.get, "/x"), options: CallOptions())
        case .refresh:
            let store = TokenStore(initial: nil, refreshTimeout: soon) { _ in
                try await handler.wait()
                return "t"
            }
            defer { withExtendedLifetime(store) {} }
            _ = try await store.token()
        }
    }

    /// Makes a call whose deadline finds it in the handler.
    private static func send(to handler: SlowHandler, by client: HTTPClient) async {
        repeat {
            _ = try? await client.send(HTTPRequest(.get, "/x"), options: CallOptions(timeout: soon))
        } while !handler.hasBegun
    }

    /// A response whose body ends only with the deadline, and which is never read.
    private static func stream(
        to handler: SlowHandler,
        _ makePipe: @escaping @Sendable () -> BodyPipe
    ) async -> HTTPResponse? {
        let transport = MockTransport { _, _ in HTTPResponse(status: .ok, body: ResponseBody(source: makePipe())) }
        let client = HTTPClient.testing(transport)
        // Mostly long enough for the head to be there in time.
        let options = CallOptions(timeout: .milliseconds(100), delivery: .streamed)
        var response: HTTPResponse?
        repeat {
            response = try? await client.send(HTTPRequest(.get, "/x"), options: options)
        } while response == nil && !handler.hasBegun
        return response
    }

    enum Ending: CaseIterable, Sendable {
        case cancelAll, shutdown
    }

    /// Each handler ends only once all have begun.
    @Test(arguments: Ending.allCases)
    func holdsUpNoOtherCallThatIsEndedWithIt(_ ending: Ending) async throws {
        let handler = SlowHandler()
        let client = HTTPClient.testing(MockTransport(), Held(stage: .call, handler: handler))
        let calls = (0..<3).map { _ in Task { try await client.send(HTTPRequest(.get, "/x"), options: CallOptions()) } }
        try await waitUntil { handler.waitingCount == 3 }
        let end = Task {
            switch ending {
            case .cancelAll: client.cancelAll()
            case .shutdown: _ = await client.shutdown(within: .zero)
            }
        }
        await handler.waitForRuns(3)
        handler.release(3)
        await end.value
        for call in calls { #expect(await outcome(of: call) == (ending == .cancelAll ? "cancelled" : "closed")) }
        try await waitUntil { handler.endings.count == 3 }
        #expect(handler.endings.entries == [true, true, true])
    }
}
