#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The work of one run, from the command line: `LOAD SECONDS CALLERS URL [FILE]`.
public struct Load: Sendable {
    /// The form of each call.
    public enum Form: String, Sendable {
        /// A small response, read to its end.
        case get
        /// A small response that the client delivers as a whole.
        case buffered
        /// A large response, chunk by chunk.
        case download
        /// A large response in memory.
        case collect
        /// A large request, from a file.
        case upload
    }

    public let form: Form
    public let seconds: Double
    public let callers: Int
    public let url: String
    /// The trusted certificates, or the file to upload.
    public let file: String?

    /// Reads the command line; ends the process if it is wrong.
    public static func fromCommandLine() -> Load {
        let words = CommandLine.arguments.dropFirst()
        guard let load = Load(Array(words)) else {
            print("usage: get|buffered|download|collect|upload SECONDS CALLERS URL [FILE]")
            exit(64)
        }
        return load
    }

    private init?(_ words: [String]) {
        guard words.count >= 4, let form = Form(rawValue: words[0]), let seconds = Double(words[1]),
            let callers = Int(words[2])
        else { return nil }
        (self.form, self.seconds, self.callers, url) = (form, seconds, callers, words[3])
        file = words.count > 4 ? words[4] : nil
        guard form != .upload || file != nil else { return nil }
    }

    /// Measures a call, which returns the number of bytes of its response, and prints a line of JSON.
    ///
    /// With 0 seconds, every caller makes one call at the same moment. Otherwise a third of the time warms up.
    public func measure(_ call: @escaping @Sendable () async throws -> Int) async {
        if seconds > 0 { _ = await run(for: seconds / 3, call) }
        let (start, cpu) = (Self.now, Self.cpuSeconds)
        let result = await run(for: seconds, call)
        let (time, used) = (Self.now - start, Self.cpuSeconds - cpu)
        print(
            """
            {"calls": \(result.calls), "failed": \(result.failed), "bytes": \(result.bytes), "seconds": \(time), \
            "cpu": \(used), "peak": \(Self.peakMemory)}
            """
        )
    }

    private struct Result: Sendable {
        var calls = 0
        var failed = 0
        var bytes = 0
    }

    private func run(for seconds: Double, _ call: @escaping @Sendable () async throws -> Int) async -> Result {
        let end = Self.now + seconds
        return await withTaskGroup(of: Result.self) { group in
            for _ in 0..<callers {
                group.addTask {
                    var result = Result()
                    repeat {
                        do { result.bytes += try await call() } catch { result.failed += 1 }
                        result.calls += 1
                    } while Self.now < end
                    return result
                }
            }
            return await group.reduce(into: Result()) { sum, result in
                sum.calls += result.calls
                sum.failed += result.failed
                sum.bytes += result.bytes
            }
        }
    }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static var usage: rusage {
        var usage = rusage()
        #if canImport(Glibc)
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #else
            getrusage(RUSAGE_SELF, &usage)
        #endif
        return usage
    }

    private static var cpuSeconds: Double {
        let usage = usage
        return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    }

    /// The peak of the resident memory, in MB.
    ///
    /// A process inherits `ru_maxrss` from the one that starts it, and `VmHWM` of Linux begins with its own memory.
    private static var peakMemory: Double {
        let inherited = Double(usage.ru_maxrss) / 1024
        guard let file = fopen("/proc/self/status", "r") else { return inherited }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, 256, file) != nil {
            if strncmp(line, "VmHWM:", 6) == 0 { return Double(strtol(Array(line.dropFirst(6)), nil, 10)) / 1024 }
        }
        return inherited
    }
}
