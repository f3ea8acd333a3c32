import Foundation
import NetKit
import NetKitTesting
import Testing

/// Tests of the simulation itself: time, order, randomness, and stuck simulations.
@Suite(.timeLimit(.minutes(5)))
struct SimulationTests {
    private func client(_ simulation: Simulation, _ interceptors: InterceptorList = []) -> HTTPClient {
        HTTPClient(
            baseURL: URL(string: "https://api.example.com"),
            transport: simulation.transport,
            interceptors: interceptors,
            configuration: simulation.configuration
        )
    }

    @Test func hoursPassInSeconds() async throws {
        let simulation = Simulation(seed: 1)
        let woken = try await simulation.run {
            try await simulation.sleep(for: .seconds(10 * 3600))
            return simulation.now
        }
        #expect(woken == .seconds(36_000))
        #expect(simulation.clock.date == Date(timeIntervalSince1970: 1_800_036_000))
    }

    @Test func sleepersWakeInTheOrderOfTime() async throws {
        let simulation = Simulation(seed: 1)
        try await simulation.run {
            await simulation.callers(100) { number in
                try? await simulation.sleep(for: .milliseconds((number * 37) % 100))
                simulation.note("\((number * 37) % 100)")
            }
        }
        #expect(simulation.trace.map(\.text) == (0..<100).map { "\($0)" })
    }

    /// The simulated server has the request from the beginning of its latency.
    @Test func aCallThatEndsWithinTheLatencyMayHaveArrived() async throws {
        let simulation = Simulation(seed: 1)
        simulation.host("api.example.com", SimulatedHost(latency: .seconds(1) ... .seconds(1), .status(200)))
        let client = client(simulation)
        let error = await #expect(throws: NetKitError.self) {
            try await simulation.run {
                try await client.send(HTTPRequest(.post, "/x"), options: CallOptions(timeout: .milliseconds(200)))
            }
        }
        #expect(error?.outcome == .unknown)
    }

    @Test func theBytesOfABodyCountAsSent() async throws {
        let simulation = Simulation(seed: 1)
        simulation.host("api.example.com", SimulatedHost(.reset))
        let client = client(simulation)
        let (request, updates) = (HTTPRequest(.post, "/x", body: .text("hello")), TransferUpdates())
        await #expect(throws: NetKitError.self) {
            try await simulation.run {
                try await client.send(request, options: CallOptions(progress: updates))
            }
        }
        #expect(updates.current.completed == 5)
    }

    @Test func theErrorOfTheBodyIsThrown() async {
        let simulation = Simulation(seed: 1)
        await #expect(throws: Oops.self) { try await simulation.run { throw Oops() } }
    }

    private struct Oops: Error {}

    @Test func aHostRespondsByTheTime() async throws {
        let simulation = Simulation(seed: 1)
        simulation.host(
            "api.example.com",
            SimulatedHost(latency: .seconds(1) ... .seconds(1), .status(200))
                .from(.seconds(10), until: .seconds(20), .status(500, body: Data("no".utf8)))
                .from(.seconds(20), until: .seconds(30), .refused)
                .from(.seconds(30), until: .seconds(40), .reset)
                .from(.seconds(40), .stalled)
        )
        let client = client(simulation)
        let ends = try await simulation.run {
            var ends: [String] = []
            for start in [0, 10, 20, 30, 40] {
                try await simulation.clock.sleep(until: .init(nanoseconds: Int64(start) * 1_000_000_000))
                do {
                    ends.append("\(try await client.send(HTTPRequest(.get, "/")).status.code)")
                } catch let error as NetKitError {
                    ends.append("\(error.code) \(error.outcome)")
                }
                ends.append(simulation.now.description)
            }
            return ends
        }
        #expect(
            ends == [
                "200", "1.0 seconds", "500", "11.0 seconds", "connect not sent", "21.0 seconds",
                "connectionLost outcome unknown", "31.0 seconds", "timeout outcome unknown", "70.0 seconds",
            ]
        )
        #expect(simulation.requestCount == 5)
        #expect(simulation.requestCount(at: "api.example.com") == 5)
        #expect(simulation.requestCount(at: "elsewhere") == 0)
    }

    @Test(arguments: [(.head, 200), (.get, 204), (.get, 304)] as [(HTTPMethod, HTTPStatus)])
    func aResponseThatMayHaveNoBodyHasNone(method: HTTPMethod, status: HTTPStatus) async throws {
        let simulation = Simulation(seed: 1)
        simulation.host("api.example.com", SimulatedHost(.status(status, body: Data("body".utf8))))
        let client = client(simulation)
        let body = try await simulation.run {
            try await client.send(HTTPRequest(method, "/")).body.collect(upTo: 10)
        }
        #expect(body == Data())
    }

    @Test func anUnknownHostDoesNotExist() async throws {
        let simulation = Simulation(seed: 1)
        let client = client(simulation)
        let error = try await simulation.run {
            await #expect(throws: NetKitError.self) { try await client.send(HTTPRequest(.get, "/")) }
        }
        #expect(error?.code == .dns)
        #expect(error?.outcome == .notSent)
    }

    @Test func aBodyMayBreakOff() async throws {
        let simulation = Simulation(seed: 1)
        simulation.host("api.example.com", SimulatedHost(.cutOff(Data("par".utf8))))
        let client = client(simulation)
        let error = try await simulation.run {
            await #expect(throws: NetKitError.self) {
                try await client.send(HTTPRequest(.get, "/"), options: CallOptions(delivery: .buffered(upTo: 10)))
            }
        }
        #expect(error?.code == .connectionLost)
    }

    @Test(arguments: [0, 0.3, 1])
    func chanceHasItsRate(rate: Double) async throws {
        let simulation = Simulation(seed: 9)
        let response = SimulatedResponse.sometimes(.status(503), rate: rate, otherwise: .status(200))
        simulation.host("api.example.com", SimulatedHost(response))
        let client = client(simulation)
        let failures = Notebook<Void>()
        try await simulation.run {
            await simulation.callers(1000) { _ in
                let status = try? await client.send(HTTPRequest(.get, "/")).status
                if status == 503 { failures.add(()) }
            }
        }
        // Five standard deviations of a thousand draws at 0.3 are 72.
        #expect(abs(Double(failures.count) - rate * 1000) <= (rate == 0.3 ? 72 : 0))
    }

    private func trace(seed: UInt64) async throws -> (events: [SimulationEvent], fingerprint: UInt64) {
        let simulation = Simulation(seed: seed)
        let flaky = SimulatedResponse.sometimes(.reset, rate: 0.4, otherwise: .status(200))
        simulation.host("api.example.com", SimulatedHost(.sometimes(.status(503), rate: 0.2, otherwise: flaky)))
        let client = client(simulation, [RetryInterceptor()])
        try await simulation.run {
            await simulation.callers(50) { number in
                for _ in 0..<4 {
                    let options = CallOptions(timeout: .seconds(1), delivery: .buffered(upTo: 100))
                    _ = try? await client.send(HTTPRequest(.get, "/\(number)"), options: options)
                    try? await simulation.sleep(for: .milliseconds(100) * simulation.random.unitInterval())
                }
            }
        }
        return (simulation.trace, simulation.fingerprint)
    }

    @Test func equalSeedsGiveEqualTraces() async throws {
        let first = try await trace(seed: 42)
        let second = try await trace(seed: 42)
        let other = try await trace(seed: 43)
        #expect(first.events.count > 400)
        #expect(first.events == second.events)
        #expect(first.fingerprint == second.fingerprint)
        #expect(first.fingerprint != other.fingerprint)
    }

    @Test func concurrentSimulationsAreIndependent() async throws {
        let alone = try await trace(seed: 7).fingerprint
        let together = try await withThrowingTaskGroup(of: UInt64.self) { group in
            for _ in 0..<4 { group.addTask { try await trace(seed: 7).fingerprint } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(together == Array(repeating: alone, count: 4))
    }

    @Test(
        arguments: [
            (5, 9, NetKitError.TimeoutPhase.firstByte), (9, 5, .idle), (nil, 5, .idle), (5, nil, .firstByte),
        ] as [(Int?, Int?, NetKitError.TimeoutPhase)]
    )
    func aStalledHostExceedsTheShorterLimit(
        firstByte: Int?,
        idle: Int?,
        phase: NetKitError.TimeoutPhase
    ) async throws {
        let simulation = Simulation(seed: 1)
        simulation.host("api.example.com", SimulatedHost(.stalled))
        var configuration = simulation.configuration
        configuration.timeouts = Timeouts(
            firstByte: firstByte.map { .seconds($0) },
            idle: idle.map { .seconds($0) },
            attempt: nil
        )
        let client = HTTPClient(transport: simulation.transport, interceptors: [], configuration: configuration)
        let error = await #expect(throws: NetKitError.self) {
            try await simulation.run { _ = try await client.send(HTTPRequest(.get, "https://api.example.com/a")) }
        }
        #expect(error?.timeoutPhase == phase)
    }

    /// The limits begin with the request, not after the latency.
    @Test(arguments: [SimulatedResponse.status(200), .stalled, .reset])
    func aHostThatRespondsTooLateExceedsTheLimit(response: SimulatedResponse) async throws {
        let simulation = Simulation(seed: 1)
        let latency = Duration.seconds(20)
        simulation.host("api.example.com", SimulatedHost(latency: latency...latency, response))
        var configuration = simulation.configuration
        configuration.timeouts = Timeouts(firstByte: .seconds(5))
        let client = HTTPClient(transport: simulation.transport, interceptors: [], configuration: configuration)
        let error = await #expect(throws: NetKitError.self) {
            try await simulation.run { _ = try await client.send(HTTPRequest(.get, "https://api.example.com/a")) }
        }
        #expect(error?.timeoutPhase == .firstByte)
        #expect(error?.outcome == .unknown)
        #expect(simulation.now == .seconds(5))
    }

    @Test func anyRangeIsALatency() async throws {
        let simulation = Simulation(seed: 1)
        simulation.host("a", SimulatedHost(latency: Duration(attoseconds: .min)...Duration(attoseconds: .max)))
        simulation.host("b", SimulatedHost(latency: .seconds(-2) ... .seconds(-1)))
        let client = client(simulation)
        await #expect(throws: NetKitError.self) {
            try await simulation.run {
                try await client.send(HTTPRequest(.get, "https://a/"), options: CallOptions(timeout: .seconds(1)))
            }
        }
        try await simulation.run { _ = try await client.send(HTTPRequest(.get, "https://b/")) }
        #expect(simulation.now == .seconds(1))
    }

    @Test func aHostThatRefusesTooLateExceedsTheLimitOfConnecting() async throws {
        let simulation = Simulation(seed: 1)
        let latency = Duration.seconds(20)
        simulation.host("api.example.com", SimulatedHost(latency: latency...latency, .refused))
        var configuration = simulation.configuration
        configuration.timeouts = Timeouts(connect: .seconds(5))
        let client = HTTPClient(transport: simulation.transport, interceptors: [], configuration: configuration)
        let error = await #expect(throws: NetKitError.self) {
            try await simulation.run { _ = try await client.send(HTTPRequest(.get, "https://api.example.com/a")) }
        }
        #expect(error?.timeoutPhase == .connect)
        #expect(error?.outcome == .notSent)
        #expect(simulation.now == .seconds(5))
    }

    @Test func aLostWakeUpIsFound() async throws {
        let simulation = Simulation(seed: 1, stallTimeout: .zero)
        simulation.host("api.example.com", SimulatedHost(.stalled))
        var configuration = simulation.configuration
        configuration.timeouts = .none
        let client = HTTPClient(transport: simulation.transport, configuration: configuration)
        let error = await #expect(throws: SimulationStuck.self) {
            try await simulation.run {
                try await simulation.sleep(for: .seconds(90))
                _ = try await client.send(HTTPRequest(.get, "https://api.example.com/a"))
            }
        }
        #expect(error?.pending == ["GET api.example.com/a #1"])
        #expect(
            error?.description.hasPrefix("After 90 s: Every task waits for something that will never happen") == true
        )
    }

    @Test func waitsForATaskThatLeftTheSimulation() async throws {
        let simulation = Simulation(seed: 1, stallTimeout: .seconds(50))
        let value = try await simulation.run { await Task.detached { 7 }.value }
        #expect(value == 7)
    }

    @Test(arguments: [.seconds(200), Duration(attoseconds: .max)])
    func waitsForATaskThatLeftTheSimulationBesideAnAlarmBeyondTheTimeLimit(stallTimeout: Duration) async throws {
        let simulation = Simulation(seed: 1, stallTimeout: stallTimeout, timeLimit: .seconds(60))
        let value = try await simulation.run {
            let alarm = simulation.clock.scheduleWakeUp(at: simulation.clock.now.advanced(by: .seconds(3600))) {}
            defer { alarm.cancel() }
            return try await Task.detached {
                // The driver has nothing left to do meanwhile.
                try await NetKitClock.system.sleep(for: .milliseconds(50))
                return 7
            }
            .value
        }
        #expect(value == 7)
    }

    @Test func tasksThatLeaveAgainAndAgainDoNotKeepARunBeyondTheTimeLimit() async {
        let simulation = Simulation(seed: 1, stallTimeout: .milliseconds(20), timeLimit: .seconds(60))
        let error = await #expect(throws: SimulationStuck.self) {
            try await simulation.run {
                let alarm = simulation.clock.scheduleWakeUp(at: simulation.clock.now.advanced(by: .seconds(3600))) {}
                defer { alarm.cancel() }
                while !Task.isCancelled { await Task.detached {}.value }
            }
        }
        #expect(error?.description.contains("The run takes longer than") == true)
    }

    @Test func cancellingTheRunCancelsItsTasks() async throws {
        let simulation = Simulation(seed: 1)
        let (started, begin) = AsyncStream<Void>.makeStream()
        let run = Task {
            try await simulation.run {
                begin.yield()
                while true {
                    try Task.checkCancellation()
                    try await simulation.sleep(for: .seconds(1))
                }
            }
        }
        var iterator = started.makeAsyncIterator()
        await iterator.next()
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.value }
    }

    /// A heartbeat of a queue in a shared store, which would go on for ever.
    private static func heartbeat(_ simulation: Simulation) async -> ReplicaLease {
        let lease = ReplicaLease(clock: simulation.clock, notify: { _ in }, beat: { ReplicaLease.Beat(shards: [:]) })
        await lease.start()
        return lease
    }

    @Test func aLostWakeUpIsFoundBesidePeriodicWork() async throws {
        let simulation = Simulation(seed: 1, stallTimeout: .zero, timeLimit: .seconds(3600))
        for hour in 1...2 {
            let error = await #expect(throws: SimulationStuck.self) {
                try await simulation.run {
                    let lease = await Self.heartbeat(simulation)
                    defer { lease.stop() }
                    try await Promise<Void>().cancellableValue()
                }
            }
            let time = try #require(error?.time)
            #expect(time > .seconds(3600 * hour - 10 * hour) && time <= .seconds(3600 * hour), "\(time)")
            #expect(error?.description.contains("The run takes longer than 60 min.") == true)
        }
    }

    @Test func aRunThatDoesNotEndWithItsCancellationSaysSo() async throws {
        let simulation = Simulation(seed: 1, stallTimeout: .zero, timeLimit: .seconds(9_000_000_000))
        let (started, begin) = AsyncStream<Void>.makeStream()
        let reports = Notebook<String>()
        let sink: @Sendable (String) -> Void = { reports.add($0) }
        let run = TestWaitReport.$sink.withValue(sink) {
            Task {
                try await simulation.run {
                    let lease = await Self.heartbeat(simulation)
                    defer { lease.stop() }
                    begin.yield()
                    try await Promise<Void>().value()
                }
            }
        }
        var iterator = started.makeAsyncIterator()
        await iterator.next()
        run.cancel()
        let error = await #expect(throws: SimulationStuck.self) { try await run.value }
        #expect(error?.description.contains("The run was cancelled") == true)
        #expect(reports.count == 1)
        #expect(reports.entries.first?.contains("waited for a simulation. After ") == true)
    }

    @Test func aLaterRunContinuesAtTheCurrentTime() async throws {
        let simulation = Simulation(seed: 1)
        for _ in 0..<3 { try await simulation.run { try await simulation.sleep(for: .seconds(5)) } }
        #expect(simulation.now == .seconds(15))
    }
}
