import Foundation
import NetKitTesting
import Testing

@testable import NetKit

@Suite(.timeLimit(.minutes(5)))
struct DeadlineHeaderInterceptorTests {
    private let time = TestClock()
    private let transport = MockTransport()

    private func client(_ interceptors: any Interceptor..., timeouts: Timeouts = .none) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.clock = time.clock
        configuration.timeouts = timeouts
        return HTTPClient(
            baseURL: exampleBase,
            transport: transport,
            interceptors: InterceptorList(interceptors),
            configuration: configuration
        )
    }

    @Test func eachAttemptSendsItsRemainingTime() async throws {
        transport.stub(.get, "/x", .status(503), .status(200))
        let retry = RetryInterceptor(RetryPolicy(backoffStrategy: .fixed(interval: .seconds(2)), jitter: .none))
        let client = client(retry, DeadlineHeaderInterceptor())
        let call = Task { try await client.send(HTTPRequest(.get, "/x"), options: CallOptions(timeout: .seconds(5))) }
        await time.waitForSleepers(1)
        time.advance(by: .seconds(2))
        _ = try await call.value
        #expect(transport.requests.map { $0.headers["X-Request-Timeout-Ms"] } == ["5000", "3000"])
    }

    @Test func theLimitOfTheAttemptIsSentIfItComesFirst() async throws {
        transport.stub(.get, "/x", .status(200))
        let client = client(DeadlineHeaderInterceptor(name: "X-Left"), timeouts: Timeouts(attempt: .seconds(30)))
        _ = try await client.send(HTTPRequest(.get, "/x", headers: ["x-left": "1"]))
        _ = try await client.send(HTTPRequest(.get, "/x"), options: CallOptions(timeout: .seconds(31)))
        _ = try await client.send(HTTPRequest(.get, "/x"), options: CallOptions(timeout: .seconds(29)))
        #expect(transport.requests.map { $0.headers["X-Left"] } == ["30000", "30000", "29000"])
    }

    @Test func withoutALimitThereIsNoField() async throws {
        transport.stub(.get, "/x", .status(200))
        _ = try await client(DeadlineHeaderInterceptor()).send(HTTPRequest(.get, "/x"))
        #expect(transport.requests.map { $0.headers.contains("X-Request-Timeout-Ms") } == [false])
    }

    @Test(arguments: [
        (Duration.zero, "0", "0.000", "0n"),
        (.seconds(-3), "0", "0.000", "0n"),
        (.microseconds(1999), "1", "0.001", "1999000n"),
        (.milliseconds(2750), "2750", "2.750", "2750000u"),
        (.seconds(3600), "3600000", "3600.000", "3600000m"),
        (.seconds(Int64.max), "9223372036854", "9223372036.854", "2562047H"),
    ])
    func timesAreWrittenAsDocumented(left: Duration, milliseconds: String, seconds: String, grpc: String) {
        #expect(DeadlineHeaderInterceptor.Format.milliseconds.write(left) == milliseconds)
        #expect(DeadlineHeaderInterceptor.Format.seconds.write(left) == seconds)
        #expect(DeadlineHeaderInterceptor.Format.grpc.write(left) == grpc)
    }
}
