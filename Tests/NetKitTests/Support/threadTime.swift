#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Returns the processor time of this thread for some work, without others that run beside it; the shortest of several.
func threadTime(runs: Int = 1, of work: () throws -> Void) rethrows -> Duration {
    func now() -> Duration {
        // Not by the members of `timespec`: the module that they belong to depends on the files compiled with this one.
        var time = (seconds: 0, nanoseconds: 0)
        withUnsafeMutablePointer(to: &time) { pointer in
            _ = pointer.withMemoryRebound(to: timespec.self, capacity: 1) { clock_gettime(CLOCK_THREAD_CPUTIME_ID, $0) }
        }
        return .seconds(time.seconds) + .nanoseconds(time.nanoseconds)
    }
    let times = try (0..<runs).map { _ in
        let start = now()
        try work()
        return now() - start
    }
    return times.min() ?? .zero
}
