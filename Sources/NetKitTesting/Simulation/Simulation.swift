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
/// wake-ups.
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
    private let time: TestClock
    private let executor = SimulationExecutor()
    private let isRunning = Locked(false)

    /// Creates a simulation.
    ///
    /// - Parameters:
    ///   - seed: The seed of the simulation's randomness.
    ///   - date: The initial date of the clock.
    ///   - stallTimeout: The time for which `run` waits in real time for a task that left the simulation, before it
    ///     throws.
    public init(
        seed: UInt64,
        date: Date = Date(timeIntervalSince1970: 1_800_000_000),
        stallTimeout: Duration = .seconds(1)
    ) {
        self.seed = seed
        self.stallTimeout = stallTimeout
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
    /// - Parameter body: The closure.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure, or `SimulationStuck` if it waits for something that will never happen.
    @concurrent
    public func run<Success: Sendable>(_ body: @escaping @Sendable () async throws -> Success) async throws -> Success {
        let isFirst = isRunning.withLock { isRunning in
            defer { isRunning = true }
            return !isRunning
        }
        guard isFirst else {
            throw SimulationStuck(
                time: now,
                pending: [],
                reason: "The simulation is already running; use one run at a time."
            )
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
            "Every task waits for something that will never happen: a wake-up was lost, or a task left the simulation."
        throw SimulationStuck(time: now, pending: transport.pending, reason: reason)
    }

    /// Runs the tasks and advances the clock, on a separate thread.
    private func drive(until isDone: @escaping @Sendable () -> Bool) async {
        let (time, executor, stallTimeout) = (time, executor, stallTimeout)
        await withCheckedContinuation { continuation in
            let thread = Thread {
                while true {
                    executor.runAll()
                    if isDone() { break }
                    if let next = time.timeToNext, time.now.advanced(by: next) < .distantFuture {
                        time.advance(by: next)
                    } else if !executor.waitForJob(stallTimeout) {
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

/// The error of a simulation that cannot continue, because every task waits and nothing is due.
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
