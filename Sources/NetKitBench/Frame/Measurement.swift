import Foundation
import NetKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The measurements of a contender in one round, for each call.
struct Measurement: Codable, Equatable, Sendable {
    /// The number of calls.
    var calls: Int
    /// The CPU time of the whole process for each call, in microseconds.
    var cpu: Double
    /// The elapsed time for each call, in microseconds; with many callers, the reciprocal of the throughput.
    var wall: Double
    /// The number of failed calls by error.
    var failures: [String: Int] = [:]
    /// The peak of resident memory and its growth in bytes, if they were measured.
    var peakMemory: Int?
    var memoryGrowth: Int?
    /// The number of connections that the calls opened, if they were counted.
    var connections: Int?

    /// The number of calls a second, including failed ones.
    var perSecond: Double { 1e6 / wall }
    var peakMemoryMB: Double? { peakMemory.map { Double($0) / 1e6 } }
    var memoryGrowthMB: Double? { memoryGrowth.map { Double($0) / 1e6 } }
    var failureCount: Int { failures.values.reduce(0, +) }
    /// The elapsed time for all calls, in seconds.
    var seconds: Double { wall * Double(calls) / 1e6 }
    /// The CPU time for all calls, in seconds.
    var cpuSeconds: Double { cpu * Double(calls) / 1e6 }

    /// Measures a closure that makes a number of calls.
    static func of(calls: Int, _ body: () async throws -> Void) async rethrows -> Measurement {
        let start = Stopwatch()
        try await body()
        return start.measurement(calls: calls)
    }

    /// Measures a closure that returns the number of its calls and its failures.
    static func counting(
        _ body: () async throws -> (calls: Int, failures: [String: Int])
    ) async rethrows -> Measurement {
        let start = Stopwatch()
        let (calls, failures) = try await body()
        var measurement = start.measurement(calls: calls)
        measurement.failures = failures
        return measurement
    }

    /// Measures concurrent callers, each of which makes one call after the other until a time is over.
    ///
    /// Rounds have one length instead of one number of calls, so that a fast contender is measured as well as a slow
    /// one.
    static func during(
        _ duration: Duration,
        callers: Int,
        _ call: @escaping @Sendable () async throws -> Void
    ) async -> Measurement {
        let failures = FailureCounter()
        let start = Stopwatch()
        let end = ContinuousClock.now + duration
        let calls = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<callers {
                group.addTask {
                    var count = 0
                    // At least once: on a busy machine the time may be over before a caller begins.
                    repeat {
                        do { try await call() } catch { failures.note(error) }
                        count += 1
                    } while ContinuousClock.now < end
                    return count
                }
            }
            return await group.reduce(0, +)
        }
        var measurement = start.measurement(calls: calls)
        measurement.failures = failures.counts
        return measurement
    }

    /// Measures concurrent callers, which share a number of calls.
    ///
    /// The closure receives the number of the call, from 0.
    static func of(
        calls: Int,
        callers: Int,
        _ call: @escaping @Sendable (_ number: Int) async throws -> Void
    ) async -> Measurement {
        await counting {
            let failures = FailureCounter()
            await withTaskGroup(of: Void.self) { group in
                for caller in 0..<callers {
                    group.addTask {
                        for number in stride(from: caller, to: calls, by: callers) {
                            do { try await call(number) } catch { failures.note(error) }
                        }
                    }
                }
            }
            return (calls, failures.counts)
        }
    }

    /// Measures one call.
    static func ofOne(_ call: () async throws -> Void) async -> Measurement {
        await counting {
            do {
                try await call()
                return (1, [:])
            } catch {
                return (1, [ErrorText.short(error): 1])
            }
        }
    }

    /// Measures calls that all start at once.
    static func atOnce(_ calls: Int, _ call: @escaping @Sendable () async throws -> Void) async -> Measurement {
        await counting {
            let failures = FailureCounter()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<calls {
                    group.addTask {
                        do { try await call() } catch { failures.note(error) }
                    }
                }
            }
            return (calls, failures.counts)
        }
    }

    /// Measures a closure and the memory it takes.
    ///
    /// Call it in a separate process, in which nothing else has taken memory.
    static func withMemory(_ body: () async throws -> Measurement) async rethrows -> Measurement {
        let before = ProcessMemory.resident
        ProcessMemory.resetPeak()
        var measurement = try await body()
        measurement.peakMemory = ProcessMemory.peak
        if let peak = measurement.peakMemory, let before { measurement.memoryGrowth = max(0, peak - before) }
        return measurement
    }
}

/// The times of the clocks at a moment.
private struct Stopwatch {
    private let cpu = seconds(of: CLOCK_PROCESS_CPUTIME_ID)
    private let wall = seconds(of: CLOCK_MONOTONIC)

    func measurement(calls: Int) -> Measurement {
        let now = Stopwatch()
        let scale = 1e6 / Double(max(1, calls))
        return Measurement(calls: calls, cpu: (now.cpu - cpu) * scale, wall: (now.wall - wall) * scale)
    }

    private static func seconds(of clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// A counter of failed calls, by the texts of their errors.
private final class FailureCounter: Sendable {
    private let state = Locked<[String: Int]>([:])

    var counts: [String: Int] { state.withLock { $0 } }

    func note(_ error: any Error) {
        let text = ErrorText.short(error)
        state.withLock { $0[text, default: 0] += 1 }
    }
}
