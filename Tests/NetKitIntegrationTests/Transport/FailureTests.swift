import Foundation
import NetKit
import NetKitTestSupport
import Testing

/// Tests of failures before a response arrives, over a real socket.
@Suite(.needsTheMachine, .needs(.python3), .pythonServer)
struct FailureTests {
    private let server: PythonServer
    private let client: HTTPClient

    init() throws {
        server = try #require(PythonServer.current)
        client = HTTPClient(baseURL: server.base, transport: URLSessionTransport(), interceptors: [])
    }

    @Test(arguments: [Delivery.streamed, .buffered(upTo: 1000)])
    func aRefusedPortIsAFailureToConnect(_ delivery: Delivery) async throws {
        let request = HTTPRequest(.post, server.refusingBase.appending(path: "x"), body: .text("body"))
        let error = await #expect(throws: NetKitError.self) {
            try await client.send(request, options: CallOptions(delivery: delivery))
        }
        #expect(error?.code == .connect)
        #expect(error?.outcome == .notSent)
        #expect(error?.attempts == 1)
        #expect(error?.requestLine == "POST \(server.refusingBase.absoluteString)/x")
    }

    @Test func aNameThatDoesNotExistIsAFailureOfDNS() async throws {
        let error = await #expect(throws: NetKitError.self) {
            try await client.send(HTTPRequest(.get, "http://nohost.invalid/"))
        }
        #expect(error?.code == .dns)
        #expect(error?.outcome == .notSent)
    }

    @Test(arguments: [Delivery.streamed, .buffered(upTo: 1000)])
    func anAttemptEndsAfterATenthOfASecond(_ delivery: Delivery) async throws {
        let options = CallOptions(timeouts: Timeouts(attempt: .milliseconds(100)), delivery: delivery)
        let request = HTTPRequest(.get, "/slow?seconds=20")
        let (errors, shortest) = await threeFailures { try await client.send(request, options: options) }
        #expect(errors.map(\.code) == [.timeout, .timeout, .timeout])
        #expect(errors.map(\.timeoutPhase) == [.attempt, .attempt, .attempt])
        // On a busy machine, an attempt may end before it was sent.
        #expect(errors.map(\.outcome).contains(.unknown))
        #expect(shortest >= .milliseconds(100))
        // Less than the time of the response, and than the default limit.
        #expect(shortest < .seconds(15))
    }

    @Test func aDeadlineEndsACallThatWaits() async throws {
        let (errors, shortest) = await threeFailures {
            try await withDeadline(.milliseconds(100)) { [client] in
                try await client.send(HTTPRequest(.get, "/slow?seconds=20"))
            }
        }
        #expect(errors.map(\.code) == [.timeout, .timeout, .timeout])
        #expect(errors.map(\.timeoutPhase) == [.deadline, .deadline, .deadline])
        #expect(shortest >= .milliseconds(100))
        // Less than the time of the response, and than the default limit.
        #expect(shortest < .seconds(15))
    }

    /// Returns the errors of three runs, and the time of the shortest: a busy machine delays one, a missing limit all.
    private func threeFailures(
        _ operation: @Sendable () async throws -> HTTPResponse
    ) async -> (errors: [NetKitError], shortest: Duration) {
        var errors: [NetKitError] = []
        var shortest = Duration.seconds(1000)
        for _ in 0..<3 {
            let start = ContinuousClock.now
            let error = await #expect(throws: NetKitError.self) { try await operation() }
            if let error { errors.append(error) }
            shortest = min(shortest, ContinuousClock.now - start)
        }
        return (errors, shortest)
    }

    @Test(arguments: [Delivery.streamed, .buffered(upTo: 1000)])
    func cancellingACallThatWaitsClosesTheConnection(_ delivery: Delivery) async throws {
        let key = "waiting-\(delivery.isStreamed)"
        let call = Task { [client] in
            try await client.send(HTTPRequest(.get, "/wait?key=\(key)"), options: CallOptions(delivery: delivery))
        }
        #expect(try await server.hasArrived(key))
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(try await server.isGone(key))
        #expect(client.activeCallCount == 0)
    }

    @Test func cancellingOneOfManyLeavesTheOthers() async throws {
        let calls = (0..<4).map { number in
            Task { [client] in
                try await client.send(Endpoint<String>.get("/wait?key=many-\(number)"))
            }
        }
        for number in 0..<4 { #expect(try await server.hasArrived("many-\(number)")) }
        calls[2].cancel()
        await #expect(throws: CancellationError.self) { try await calls[2].value }
        for number in [0, 1, 3] {
            try await server.release("many-\(number)")
            #expect(try await calls[number].value == "released")
        }
    }
}
