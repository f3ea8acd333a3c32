import Foundation
import NetKit
import NetKitTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ConnectivityInterceptorTests {
    private let time = TestClock()
    private let transport = MockTransport()
    private let monitor = ManualNetworkMonitor(isConnected: false)

    init() {
        transport.stub(nil, "**", .text("ok"))
    }

    private func send(
        _ policy: ConnectivityPolicy,
        options: CallOptions = CallOptions()
    ) -> Task<HTTPResponse, any Error> {
        let client = HTTPClient.testing(transport, ConnectivityInterceptor(monitor, policy), time: time)
        return Task { try await client.send(HTTPRequest(.put, "/x"), options: options) }
    }

    @Test func failFastFailsAtOnce() async throws {
        let error = await #expect(throws: NetKitError.self) { try await send(.failFast).value }
        #expect(error?.code == .offline)
        #expect(error?.outcome == .notSent)
        #expect(transport.requests.isEmpty)
        monitor.set(isConnected: true)
        _ = try await send(.failFast).value
        #expect(monitor.listenerCount == 0)
    }

    @Test func doesNotRepeatACallOfWhichAnExchangeArrived() async throws {
        let monitor = ManualNetworkMonitor(isConnected: true)
        let transport = MockTransport { request, _ in
            guard request.method == .post else {
                monitor.set(isConnected: false)
                throw NetKitError(.offline, "the network went away")
            }
            return HTTPResponse(status: .seeOther, headers: ["Location": "/orders/1"])
        }
        let interceptor = ConnectivityInterceptor(monitor, .wait(upTo: .seconds(30)))
        let client = HTTPClient.testing(transport, interceptor, time: time)
        let error = await #expect(throws: NetKitError.self) { try await client.send(HTTPRequest(.post, "/orders")) }
        #expect(error?.code == .offline)
        #expect(transport.requests.map(\.method) == [.post, .get])
    }

    @Test func waitsForTheNetwork() async throws {
        let call = send(.wait(upTo: .seconds(30)))
        await time.waitForAlarms(1)
        time.advance(by: .seconds(29))
        monitor.set(isConnected: true)
        _ = try await call.value
        #expect(time.alarmCount == 0)
    }

    @Test func aCallDoesNotWaitWhileThereIsANetwork() async throws {
        monitor.set(isConnected: true)
        _ = try await send(.wait(upTo: .seconds(30))).value
        #expect(monitor.listenerCount == 0)
    }

    @Test func givesUpAfterTheLimit() async throws {
        let call = send(.wait(upTo: .seconds(30)))
        await time.waitForAlarms(1)
        time.advance(by: .seconds(30))
        let error = await #expect(throws: NetKitError.self) { try await call.value }
        #expect(error?.code == .offline)
        #expect(error?.message.contains("30 s") == true)
    }

    @Test func aStoppedMonitorEndsTheWait() async throws {
        let call = send(.wait(upTo: .seconds(30)))
        await time.waitForAlarms(1)
        monitor.stop()
        let error = await #expect(throws: NetKitError.self) { try await call.value }
        #expect(error?.code == .offline)
        #expect(error?.message.contains("The network monitor ended") == true)
    }

    @Test func aCancellationEndsTheWait() async {
        let cancelled = send(.wait(upTo: .seconds(30)))
        await time.waitForAlarms(1)
        cancelled.cancel()
        #expect(await outcome(of: cancelled) == "cancelled")
    }

    @Test func theDeadlineEndsTheWait() async {
        let late = send(.wait(upTo: .seconds(30)), options: CallOptions(timeout: .seconds(3)))
        await time.waitForAlarms(2)
        time.advance(by: .seconds(3))
        #expect(await outcome(of: late) == "timeout")
        #expect(time.alarmCount == 0)
    }

    @Test func aChangeBetweenTheCheckAndTheWaitIsNotMissed() async throws {
        for _ in 0..<200 {
            monitor.set(isConnected: false)
            let call = send(.wait(upTo: .seconds(30)))
            monitor.set(isConnected: true)
            _ = try await call.value
        }
    }

    @Test func twoOutagesInARowAreBothWaitedFor() async throws {
        monitor.set(isConnected: true)
        let monitor = monitor
        let transport = MockTransport { _, context in
            if context.attempt.number < 3 {
                monitor.set(isConnected: false)
                throw NetKitError(.offline, "no network")
            }
            return HTTPResponse(status: .ok)
        }
        let interceptor = ConnectivityInterceptor(monitor, .wait(upTo: .seconds(30)))
        let client = HTTPClient.testing(transport, interceptor, time: time)
        let call = Task { try await client.send(HTTPRequest(.get, "/x")) }
        for count in 1...2 {
            await transport.waitForRequests(count)
            await time.waitForAlarms(1)
            monitor.set(isConnected: true)
        }
        #expect(try await call.value.status == .ok)
        #expect(transport.requests.count == 3)
    }

    @Test(arguments: [
        NetKitError(.offline, "sent", outcome: .unknown), NetKitError(.connect, "refused"), NetKitError(.dns, "name"),
    ])
    func otherFailuresDoNotWait(error: NetKitError) async throws {
        monitor.set(isConnected: true)
        let monitor = monitor
        let transport = MockTransport { _, _ in
            monitor.set(isConnected: false)
            throw error
        }
        let interceptor = ConnectivityInterceptor(monitor, .wait(upTo: .seconds(30)))
        let client = HTTPClient.testing(transport, interceptor, time: time)
        let call = Task { try await client.send(HTTPRequest(.get, "/x")) }
        #expect(await outcome(of: call) == error.code.description)
        #expect(transport.requests.count == 1)
    }

    @Test func exchangesAreReportedToTheMonitor() async throws {
        let monitor = monitor
        monitor.set(isConnected: true)
        let transport = MockTransport { request, _ in
            if request.url.path() == "/lost" { throw NetKitError(.connectionLost, "lost") }
            return HTTPResponse(status: request.url.path() == "/login" ? 511 : .ok)
        }
        let client = HTTPClient.testing(transport, ConnectivityInterceptor(monitor), time: time)
        for address in [
            "https://a.example/x", "http://b.example/x", "http://c.example/login", "https://d.example/lost",
        ] {
            let url = try #require(URL(string: address))
            _ = try? await client.send(HTTPRequest(.get, url))
        }
        #expect(
            monitor.evidence == [
                NetworkEvidence(.verifiedResponse, host: "a.example"),
                NetworkEvidence(.unverifiedResponse, host: "b.example"),
                NetworkEvidence(.failed, host: "c.example"), NetworkEvidence(.failed, host: "d.example"),
            ]
        )
    }

    @Test func explainReportsAClampedLimit() {
        let interceptor = ConnectivityInterceptor(monitor, .wait(upTo: .seconds(-1)))
        #expect(interceptor.warnings(in: ClientInspection()).count == 1)
        let long = ConnectivityInterceptor(monitor, .wait(upTo: .seconds(60)))
        #expect(long.warnings(in: ClientInspection()) == [])
        #expect(long.warnings(in: ClientInspection(timeouts: Timeouts(total: .seconds(5)))).count == 1)
        #expect(long.summary == "without a network: waits up to 60 s")
        #expect(ConnectivityInterceptor(monitor).summary == "without a network: fails at once")
    }
}
