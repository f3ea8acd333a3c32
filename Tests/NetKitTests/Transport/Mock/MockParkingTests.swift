import Foundation
import NetKit
import NetKitTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct MockParkingTests {
    private let transport = MockTransport()

    private var client: HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.timeouts = .none
        return HTTPClient(baseURL: exampleBase, transport: transport, configuration: configuration)
    }

    @Test func everyParkedRequestIsInFlightUntilTheRelease() async throws {
        transport.stub(.get, "/a", .stalled)
        let client = client
        let tasks = (0..<100).map { _ in Task { try await client.send(HTTPRequest(.get, "/a")).status } }
        await transport.waitForRequests(100)
        #expect(client.activeCallCount == 100)
        transport.release()
        for task in tasks { #expect(try await task.value == 200) }
        #expect(client.activeCallCount == 0)
    }

    @Test func afterTheReleaseNoCallWaits() async throws {
        transport.stub(.get, "/a", .stalled)
        transport.release()
        #expect(try await client.send(HTTPRequest(.get, "/a")).status == 200)
    }

    @Test func aParkedResponseMayCarryHeaders() async throws {
        transport.stub(.get, "/a", .stalled.header("X-A", "1"))
        transport.release()
        #expect(try await client.send(HTTPRequest(.get, "/a")).headers == ["X-A": "1"])
    }

    @Test func cancellingEndsOneAndLeavesTheOthers() async throws {
        transport.stub(.get, "/a", .stalled)
        let client = client
        let first = Task { try await client.send(HTTPRequest(.get, "/a")).status }
        await transport.waitForRequests(1)
        let second = Task { try await client.send(HTTPRequest(.get, "/a")).status }
        await transport.waitForRequests(2)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(client.activeCallCount == 1)
        transport.release()
        #expect(try await second.value == 200)
    }

    @Test func aTaskThatIsAlreadyCancelledDoesNotWait() async throws {
        transport.stub(.get, "/a", .stalled)
        let (transport, request) = (transport, HTTPRequest(.get, "https://api.example.com/a"))
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await transport.send(request, context: .test())
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func cancellingAThousandWhileTheyAreReleasedEndsEachOnce() async throws {
        transport.stub(.get, "/a", .stalled)
        let client = client
        let tasks = (0..<1000).map { _ in Task { try await client.send(HTTPRequest(.get, "/a")).status } }
        await transport.waitForRequests(1000)
        let transport = transport
        let release = Task { transport.release() }
        for task in tasks { task.cancel() }
        await release.value
        var ends = 0
        for task in tasks {
            switch await task.result {
            case .success(let status): #expect(status == 200)
            case .failure(let error): #expect(error is CancellationError)
            }
            ends += 1
        }
        #expect(ends == 1000)
        #expect(client.activeCallCount == 0)
    }

    @Test func theCallsDeadlineEndsAParkedRequest() async throws {
        let time = TestClock()
        var configuration = HTTPClient.Configuration()
        configuration.clock = time.clock
        transport.stub(.get, "/a", .stalled)
        let client = HTTPClient(transport: transport, configuration: configuration)
        let task = Task {
            let options = CallOptions(timeout: .seconds(3))
            return try await client.send(HTTPRequest(.get, "https://api.example.com/a"), options: options)
        }
        await transport.waitForRequests(1)
        await time.waitForAlarms(1)
        time.advance(by: .seconds(3))
        let error = await #expect(throws: NetKitError.self) { try await task.value }
        #expect(error?.code == .timeout)
        #expect(error?.timeoutPhase == .deadline)
        #expect(error?.outcome == .unknown)
    }
}
