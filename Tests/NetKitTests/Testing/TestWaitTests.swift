import Foundation
import NetKit
import NetKitTesting
import Testing

/// Tests that a cancelled wait ends, and reports what it waited for.
@Suite struct TestWaitTests {
    /// Runs a wait in a task that is cancelled, and returns what was reported.
    private func reports(of wait: @escaping @Sendable () async -> Void) async -> [String] {
        let reports = Notebook<String>()
        let sink: @Sendable (String) -> Void = { reports.add($0) }
        await TestWaitReport.$sink.withValue(sink) {
            let task = Task { await wait() }
            task.cancel()
            await task.value
        }
        return reports.entries
    }

    @Test func aWaitForRequestsOfATransportSaysWhatHasArrived() async throws {
        let transport = MockTransport { _, _ in HTTPResponse(status: .ok) }
        let client = HTTPClient(baseURL: URL(string: "https://api.example.com"), transport: transport, interceptors: [])
        _ = try await client.send(HTTPRequest(.get, "/users/42"))
        let reports = await reports { await transport.waitForRequests(3) }
        #expect(
            reports == [
                "NetKit: A test was cancelled while it waited for 3 requests to the mock transport. "
                    + "There was 1, the last GET /users/42.\n"
            ]
        )
        #expect(await self.reports { await transport.waitForRequests(1) } == [])
    }

    @Test func aWaitForAClockSaysWhatSleeps() async throws {
        let time = TestClock()
        let alarm = time.clock.schedule(at: time.now.advanced(by: .seconds(3))) {}
        defer { alarm.cancel() }
        #expect(
            await reports { await time.waitForSleepers(1) } == [
                "NetKit: A test was cancelled while it waited for 1 sleeper of the test clock. "
                    + "There were 0 sleepers and 1 alarm, and the next is due in 3.0 seconds.\n"
            ]
        )
        #expect(
            await reports { await time.waitForAlarms(2) } == [
                "NetKit: A test was cancelled while it waited for 2 alarms of the test clock. "
                    + "There were 0 sleepers and 1 alarm, and the next is due in 3.0 seconds.\n"
            ]
        )
        #expect(await reports { await time.waitForAlarms(1) } == [])
    }

    @Test func anotherWaitForTheSameGoalGoesOn() async throws {
        let transport = MockTransport { _, _ in HTTPResponse(status: .ok) }
        let client = HTTPClient(baseURL: URL(string: "https://api.example.com"), transport: transport, interceptors: [])
        let other = Task { await transport.waitForRequests(1) }
        #expect(await reports { await transport.waitForRequests(1) }.count == 1)
        _ = try await client.send(HTTPRequest(.get, "/users/42"))
        await other.value
    }
}
