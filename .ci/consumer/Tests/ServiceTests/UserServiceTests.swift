import NetKit
import NetKitTesting
import Service
import Testing

/// Tests of a service, without a network and without waiting.
struct UserServiceTests {
    private let transport = MockTransport()
    private let time = TestClock()
    private let ada = User(id: 1, name: "Ada")

    private func makeClient(_ interceptors: InterceptorList = .standard, time: TestClock? = nil) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.clock = (time ?? self.time).clock
        configuration.random = .seeded(1)
        configuration.timeouts.attempt = .seconds(5)
        return HTTPClient(
            baseURL: URL(string: "https://api.example.com"),
            transport: transport,
            interceptors: interceptors,
            configuration: configuration
        )
    }

    @Test func aLateResponseArrivesWhenTheClockSaysSo() async throws {
        transport.stub(.get, "/users/1", .json(ada).delayed(by: .seconds(2)))
        let service = UserService(makeClient())
        let user = Task { try await service.user("1") }
        await time.waitForSleepers(1)
        time.advance(by: .seconds(2))
        #expect(try await user.value == ada)
        #expect(time.now.nanoseconds == 2_000_000_000)
    }

    @Test func aResponseThatIsTooLateIsATimeout() async throws {
        transport.stub(.get, "/users/1", .stalled)
        let time = TestClock(skipsSleeps: true)
        let service = UserService(makeClient(time: time))
        let user = Task { try await service.user("1") }
        for attempt in 1...3 {
            await transport.waitForRequests(attempt)
            await time.waitForAlarms(1)
            time.advance(by: .seconds(5))
        }
        let error = await #expect(throws: NetKitError.self) { try await user.value }
        #expect(error?.code == .timeout)
        #expect(error?.timeoutPhase == .attempt)
        #expect(error.map { UserService.advice(for: $0) } == "look first")
    }

    @Test func aDeadlineGoesByTheTestsClock() async throws {
        transport.stub(.get, "/users/1", .stalled)
        let client = makeClient()
        let user = Task { [time] in
            try await withDeadline(.seconds(3), clock: time.clock) { try await client.send(.user("1")) }
        }
        await transport.waitForRequests(1)
        await time.waitForAlarms(1)
        #expect(time.timeToNext == .seconds(3))
        time.advance(by: .seconds(3))
        let error = await #expect(throws: NetKitError.self) { try await user.value }
        #expect(error?.timeoutPhase == .deadline)
    }

    @Test func timingSeesTheTestsTime() async throws {
        transport.stub(.get, "/users/1", .json(ada).delayed(by: .milliseconds(250)))
        let measurements = Measurements()
        let client = makeClient([Timing(measurements)])
        let user = Task { try await client.send(.user("1")) }
        await time.waitForSleepers(1)
        time.advance(by: .milliseconds(250))
        _ = try await user.value
        #expect(await measurements.lines == ["- GET /users/1 200 0.25 seconds"])
    }

    @Test func keysAreTheSameForTheSameSeed() async throws {
        transport.stub(.post, "/login", .status(204))
        try await makeClient().send(.login("ada"))
        try await makeClient().send(.login("ada"))
        let keys = transport.requests.compactMap { $0.headers["Idempotency-Key"] }
        #expect(keys.count == 2)
        #expect(Set(keys).count == 1)
    }

    @Test(arguments: [(404, 1), (500, 3), (503, 3)])
    func aStatusIsAnError(_ status: Int, _ attempts: Int) async throws {
        transport.stub(.get, "/users/1", .status(HTTPStatus(status)))
        let service = UserService(makeClient(time: TestClock(skipsSleeps: true)))
        let error = await #expect(throws: NetKitError.self) { try await service.user("1") }
        #expect(error.map { UserService.advice(for: $0) } == "responded with \(status)")
        #expect(transport.requests.count == attempts)
    }
}
