import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// What one round of a contender took, for each call.
struct Measurement {
    /// CPU time of the whole process, in microseconds.
    var cpu: Double
    /// Time on the wall, in microseconds.
    var wall: Double

    /// Runs something that makes a number of calls.
    static func of(calls: Int, _ body: () async throws -> Void) async rethrows -> Measurement {
        let (cpuStart, wallStart) = (seconds(of: CLOCK_PROCESS_CPUTIME_ID), seconds(of: CLOCK_MONOTONIC))
        try await body()
        let (cpuEnd, wallEnd) = (seconds(of: CLOCK_PROCESS_CPUTIME_ID), seconds(of: CLOCK_MONOTONIC))
        let scale = 1e6 / Double(calls)
        return Measurement(cpu: (cpuEnd - cpuStart) * scale, wall: (wallEnd - wallStart) * scale)
    }

    private static func seconds(of clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// Median and range of several rounds: the machine is noisy, and one number would hide it.
struct Summary {
    let median: Double
    let low: Double
    let high: Double

    init(_ values: [Double]) {
        let sorted = values.sorted()
        median = sorted.isEmpty ? .nan : sorted[sorted.count / 2]
        low = sorted.first ?? .nan
        high = sorted.last ?? .nan
    }

    var text: String { "\(Self.format(median)) (\(Self.format(low))…\(Self.format(high)))" }

    static func format(_ value: Double) -> String { String(format: "%.2f", value) }
}
