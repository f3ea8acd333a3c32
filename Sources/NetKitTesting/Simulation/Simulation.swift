public import Foundation
public import NetKit

/// A world in which hours pass in seconds and everything happens in the same order for the same seed.
///
/// ```swift
/// let simulation = Simulation(seed: 7)
/// simulation.host("api.example.com", SimulatedHost().from(.seconds(60), until: .seconds(120), .refused))
/// let client = HTTPClient(
///     baseURL: URL(string: "https://api.example.com"),
///     transport: simulation.transport,
///     interceptors: [RetryInterceptor()],
///     configuration: simulation.configuration
/// )
/// try await simulation.run {
///     await simulation.callers(1000) { number in
///         try? await simulation.sleep(for: .milliseconds(number))
///         _ = try? await client.send(HTTPRequest(.get, "/users/\(number)"))
///     }
/// }
/// #expect(simulation.requestCount <= 1200)
/// ```
/// The clock stands still while anything can go on, and then jumps to what comes next. All tasks run one after another on
/// one thread: child tasks and what NetKit starts itself stay there. A `Task { … }` of your own leaves it and should be made
/// a child task. Time is the simulation's clock, chance its seed; what uses other ones is not repeatable.
///
/// When every task waits for something that nobody will do, `run` throws `SimulationStuck`: that finds lost wake-ups.
public final class Simulation: Sendable {
    /// What the simulation's chance begins with.
    public let seed: UInt64
    /// Carries requests to the simulated hosts.
    public let transport: SimulatedTransport
    /// The seeded randomness of what is simulated; the hosts have another of their own.
    public let random: RandomSource

    /// How long `run` waits in real time for a task that left the simulation, before it says that nothing goes on.
    private let patience: Duration
    private let time: TestClock
    private let executor = SimulationExecutor()
    private let isRunning = Locked(false)

    /// Makes a world.
    ///
    /// - Parameters:
    ///   - seed: What its chance begins with.
    ///   - date: The time of day at which it begins.
    ///   - patience: How long `run` waits in real time for a task that left the simulation, before it throws.
    public init(
        seed: UInt64,
        date: Date = Date(timeIntervalSince1970: 1_800_000_000),
        patience: Duration = .seconds(1)
    ) {
        self.seed = seed
        self.patience = patience
        random = .seeded(seed)
        time = TestClock(date: date)
        transport = SimulatedTransport(time: time, random: .seeded(seed ^ 0x5DEE_CE66_D1CE_4E5B))
    }

    /// The simulation's clock.
    public var clock: NetKitClock { time.clock }

    /// How much time has passed in the simulation.
    public var now: Duration { .nanoseconds(time.now.nanoseconds) }

    /// The default configuration with the simulation's clock and randomness.
    public var configuration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration()
        configuration.clock = clock
        configuration.random = random
        return configuration
    }

    /// Says how a host behaves; a request to a host without a description fails as a name that does not exist.
    public func host(_ name: String, _ host: SimulatedHost) {
        transport.set(host, for: name)
    }

    /// What happened, in order: each request and how it ended, and what `note` wrote down.
    ///
    /// The first 100,000 events are kept; `fingerprint` covers all.
    public var trace: [SimulationEvent] { transport.journal.events }

    /// A number made of every event: equal for equal traces.
    public var fingerprint: UInt64 { transport.journal.fingerprint }

    /// How many requests were sent in all.
    public var requestCount: Int { transport.requestCount(at: nil) }

    /// How many requests were sent to a host.
    public func requestCount(at host: String) -> Int { transport.requestCount(at: host) }

    /// Writes an event of your own into the trace.
    public func note(_ text: String) {
        transport.journal.add(text, at: now)
    }

    /// Waits in the simulation's time.
    public func sleep(for duration: Duration) async throws {
        try await clock.sleep(for: duration)
    }

    /// Runs a number of callers side by side and waits for all of them; to be called inside `run`.
    public func callers(_ count: Int, _ body: @escaping @Sendable (Int) async -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<max(0, count) { group.addTask { await body(number) } }
        }
    }

    /// Runs something in the simulation's time until it is done.
    ///
    /// A later run goes on where the time stands. What is still waiting when the body returns stays where it is.
    ///
    /// - Parameter body: What is to happen.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws, or `SimulationStuck` where it waits for something that will never happen.
    @concurrent
    public func run<Success: Sendable>(_ body: @escaping @Sendable () async throws -> Success) async throws -> Success {
        let isFirst = isRunning.withLock { isRunning in
            defer { isRunning = true }
            return !isRunning
        }
        guard isFirst else {
            throw SimulationStuck(time: now, pending: [], reason: "The simulation runs already; one run at a time.")
        }
        defer { isRunning.withLock { $0 = false } }
        SimulatedExecution.begin(on: executor)
        defer { SimulatedExecution.end(on: executor) }
        let isDone = Flag()
        let task = Task<Success, any Error>(executorPreference: executor) {
            defer { isDone.set() }
            return try await body()
        }
        await withTaskCancellationHandler {
            await drive { isDone.isSet }
        } onCancel: {
            task.cancel()
        }
        if isDone.isSet { return try await task.value }
        task.cancel()
        let reason =
            "Every task waits for something that nobody will do: a wake-up was lost, or a task left the simulation."
        throw SimulationStuck(time: now, pending: transport.pending, reason: reason)
    }

    /// Runs what can run and moves the clock, on a thread of its own.
    private func drive(until isDone: @escaping @Sendable () -> Bool) async {
        let (time, executor, patience) = (time, executor, patience)
        await withCheckedContinuation { continuation in
            let thread = Thread {
                while true {
                    executor.runAll()
                    if isDone() { break }
                    if let next = time.timeToNext, time.now.advanced(by: next) < .distantFuture {
                        time.advance(by: next)
                    } else if !executor.waitForJob(patience) {
                        break
                    }
                }
                continuation.resume()
            }
            thread.name = "netkit.simulation"
            thread.stackSize = 8 << 20
            thread.start()
        }
    }
}

/// A simulation that cannot go on: every task waits, and nothing is due.
public struct SimulationStuck: Error, Sendable, CustomStringConvertible {
    /// How much time had passed.
    public let time: Duration
    /// The requests that were on their way.
    public let pending: [String]
    let reason: String

    /// What is wrong, when, and what was on its way.
    public var description: String {
        let requests = pending.isEmpty ? "no request is on its way" : "on their way: \(pending.joined(separator: ", "))"
        return "After \(time.shortText): \(reason) (\(requests))"
    }
}
