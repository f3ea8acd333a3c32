public import Foundation
public import NetKit

/// A deterministic simulation in virtual time, in which hours pass in seconds.
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
/// The clock stands still while any task can run, and then advances to the next deadline. All tasks run one after
/// another on one thread, including child tasks and the tasks that NetKit starts. An unstructured `Task { … }` leaves
/// the thread; use a child task instead. The order of events is the same for the same seed, as long as the code uses
/// the simulation's clock and randomness.
///
/// If every task waits for something that will never happen, `run` throws `SimulationStuck`, which reveals lost
/// wake-ups. It also does so if a run takes more simulated time than `timeLimit`, because periodic work, such as the
/// heartbeats of a shared queue, would continue without end.
public final class Simulation: Sendable {
    /// The seed of the simulation's randomness.
    public let seed: UInt64
    /// The transport to the simulated hosts.
    public let transport: SimulatedTransport
    /// The seeded source of randomness for the code under test.
    ///
    /// The hosts use a separate one.
    public let random: RandomSource

    /// The time for which `run` waits in real time for a task that left the simulation, before it throws.
    private let stallTimeout: Duration
    /// The simulated time that one run may take.
    private let timeLimit: Duration
    private let time: TestClock
    private let executor = SimulationExecutor()
    private let isRunning = Locked(false)

    /// Creates a simulation.
    ///
    /// - Parameters:
    ///   - seed: The seed of the simulation's randomness.
    ///   - date: The initial date of the clock.
    ///   - stallTimeout: The time for which `run` waits in real time for a task that left the simulation, before it
    ///     throws, 5 seconds by default. A period in which the whole process stands still counts as a tenth of it at
    ///     most. If the next event is later than `timeLimit`, all these waits together take at most ten times as long.
    ///   - timeLimit: The simulated time that one run may take before it throws, 30 days by default.
    public init(
        seed: UInt64,
        date: Date = Date(timeIntervalSince1970: 1_800_000_000),
        stallTimeout: Duration = .seconds(5),
        timeLimit: Duration = .seconds(30 * 86_400)
    ) {
        self.seed = seed
        (self.stallTimeout, self.timeLimit) = (stallTimeout, timeLimit)
        random = .seeded(seed)
        time = TestClock(date: date)
        transport = SimulatedTransport(time: time, random: .seeded(seed ^ 0x5DEE_CE66_D1CE_4E5B))
    }

    /// The simulation's clock.
    public var clock: NetKitClock { time.clock }

    /// The simulated time since the start.
    public var now: Duration { .nanoseconds(time.now.nanoseconds) }

    /// The default configuration with the simulation's clock and randomness.
    public var configuration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration()
        configuration.clock = clock
        configuration.random = random
        return configuration
    }

    /// Adds a host.
    ///
    /// A request to an unknown host fails with `.dns`.
    public func host(_ name: String, _ host: SimulatedHost) {
        transport.set(host, for: name)
    }

    /// The events in order: requests, their ends, and notes.
    ///
    /// The first 100,000 events are kept. `fingerprint` covers all of them.
    public var trace: [SimulationEvent] { transport.journal.events }

    /// A hash of all events, which is equal for equal traces.
    public var fingerprint: UInt64 { transport.journal.fingerprint }

    /// The total number of requests.
    public var requestCount: Int { transport.requestCount(at: nil) }

    /// Returns the number of requests to a host.
    public func requestCount(at host: String) -> Int { transport.requestCount(at: host) }

    /// Adds a note to the trace.
    public func note(_ text: String) {
        transport.journal.add(text, at: now)
    }

    /// Waits in simulated time.
    public func sleep(for duration: Duration) async throws {
        try await clock.sleep(for: duration)
    }

    /// Runs a number of concurrent callers and waits for all of them.
    ///
    /// Call this inside `run`.
    public func callers(_ count: Int, _ body: @escaping @Sendable (Int) async -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<max(0, count) { group.addTask { await body(number) } }
        }
    }

    /// Runs a closure in simulated time until it returns.
    ///
    /// A later run continues at the current time. Tasks that still wait when the closure returns keep waiting.
    ///
    /// If the run is cancelled, the tasks that end with the cancellation still run, and the clock no longer advances.
    /// If the closure does not return then, a line on standard error says so, because a test that is cancelled at its
    /// time limit does not show its error.
    ///
    /// - Parameter body: The closure.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure, or `SimulationStuck` if it waits for something that will never happen.
    @concurrent
    public func run<Success: Sendable>(_ body: @escaping @Sendable () async throws -> Success) async throws -> Success {
        let wasRunning = isRunning.withLock { exchange(&$0, with: true) }
        guard !wasRunning else {
            throw SimulationStuck(
                time: now,
                pending: [],
                reason: "The simulation is already running; use one run at a time."
            )
        }
        defer { isRunning.withLock { $0 = false } }
        SimulatedExecution.begin(on: executor)
        defer { SimulatedExecution.end(on: executor) }
        let (isDone, isCancelled) = (Flag(), Flag())
        let task = Task<Success, any Error>(executorPreference: executor) {
            defer { isDone.set() }
            return try await body()
        }
        let driver = SimulationDriver(
            time: time,
            executor: executor,
            deadline: time.now.advanced(by: timeLimit),
            stallTimeout: stallTimeout,
            isDone: isDone,
            isCancelled: isCancelled
        )
        let end = await withTaskCancellationHandler {
            await driver.run()
        } onCancel: {
            task.cancel()
            isCancelled.set()
        }
        if isDone.isSet { return try await task.value }
        task.cancel()
        let stuck = SimulationStuck(time: now, pending: transport.pending, reason: reason(for: end))
        if end == .cancelled {
            TestWaitReport.sink("NetKit: A test was cancelled while it waited for a simulation. \(stuck)\n")
        }
        throw stuck
    }

    private func reason(for end: SimulationDriver.End) -> String {
        switch end {
        case .done, .stuck:
            "Every task waits for something that will never happen: a wake-up was lost, or a task left the simulation."
        case .outOfTime:
            "The run takes longer than \(timeLimit.shortText). Periodic work goes on, but what the run waits for may "
                + "never happen. Give the simulation a longer `timeLimit` if it does."
        case .cancelled:
            "The run was cancelled, and what it waits for does not end with that."
        }
    }
}

/// The error of a simulation that cannot continue.
///
/// Every task waits and nothing is due, the run takes too much simulated time, or it was cancelled and does not end.
public struct SimulationStuck: Error, Sendable, CustomStringConvertible {
    /// The simulated time since the start.
    public let time: Duration
    /// The pending requests.
    public let pending: [String]
    let reason: String

    /// A description of the error, with the time and the pending requests.
    public var description: String {
        let requests = pending.isEmpty ? "no pending requests" : "pending requests: \(pending.joined(separator: ", "))"
        return "After \(time.shortText): \(reason) (\(requests))"
    }
}
