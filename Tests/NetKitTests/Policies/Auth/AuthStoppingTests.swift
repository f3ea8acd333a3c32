import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of calls that run in their caller's task and are ended from outside while they wait for auth or headers.
@Suite(.timeLimit(.minutes(5)))
struct AuthStoppingTests {
    /// A transport over which a call needs no task of its own.
    private struct Lean: Transport, CallBound {
        let respond: @Sendable (HTTPRequest) -> HTTPResponse

        func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse { respond(request) }
    }

    enum Place: CaseIterable, Sendable {
        case first, replacement, closure, refusal, header
    }

    enum Ending: CaseIterable, Sendable {
        case byID, byTask, byDeadline
    }

    @Test(arguments: Place.allCases, Ending.allCases)
    func endsAtOnce(place: Place, ending: Ending) async throws {
        let time = TestClock()
        let gate = MockTransport()
        gate.stub(nil, "**", .stalled)
        let wait: @Sendable () async throws -> String = {
            _ = try await gate.send(HTTPRequest(.get, URL(fileURLWithPath: "/")), context: .test())
            return "t"
        }
        let body = BodyPipe(maxBytes: 10)
        let interceptor: any Interceptor =
            switch place {
            case .first: AuthInterceptor(TokenStore(initial: nil, clock: TestClock().clock) { _ in try await wait() })
            case .replacement, .refusal:
                AuthInterceptor(TokenStore(initial: "old", clock: TestClock().clock) { _ in try await wait() })
            case .closure: AuthInterceptor { try await wait() }
            case .header: HeadersInterceptor { _, _ in ["X-A": try await wait()] }
            }
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        let transport = Lean { _ in
            arrival.yield()
            let stuck = ResponseBody(source: body)
            return HTTPResponse(status: .unauthorized, body: place == .refusal ? stuck : .empty)
        }
        var configuration = HTTPClient.Configuration()
        configuration.clock = time.clock
        let client = HTTPClient(
            baseURL: exampleBase,
            transport: transport,
            interceptors: [interceptor],
            configuration: configuration
        )
        let id = CallID()
        let call = Task {
            let timeout: Duration? = ending == .byDeadline ? .seconds(3) : nil
            return try await client.send(HTTPRequest(.get, "/x"), options: CallOptions(id: id, timeout: timeout))
        }
        if place == .refusal {
            for await _ in arrivals { break }
        } else {
            await gate.waitForRequests(1)
        }
        switch ending {
        case .byID: client.cancel(id)
        case .byTask: call.cancel()
        case .byDeadline: time.advance(by: .seconds(3))
        }
        #expect(await outcome(of: call) == (ending == .byDeadline ? "timeout" : "cancelled"))
        #expect(client.activeCallCount == 0)
        gate.release()
    }

    @Test func neitherAuthNorHeadersNorLoggingCostACallItsTask() {
        let interceptors: [any Interceptor] = [
            AuthInterceptor(TokenStore(initial: "t")), HeadersInterceptor(["A": "1"]), LoggingInterceptor { _ in },
        ]
        for part in interceptors.flatMap(\.parts) { #expect(part is any CallBound, "\(part.summary)") }
    }
}
