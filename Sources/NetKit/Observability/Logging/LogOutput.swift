#if canImport(Glibc) || canImport(Musl)
    import CNetKitSystem
#elseif canImport(Darwin)
    import Darwin
#endif

/// An output for log lines: a standard stream of the process, or a closure.
public struct LogOutput: Sendable {
    private let take: @Sendable (String) -> Void

    private init(_ take: @escaping @Sendable (String) -> Void) { self.take = take }

    /// The standard error of the process.
    ///
    /// Lines are dropped if nothing reads them any more, or if the stream does not block and stays full.
    public static let standardError = stream(2)

    /// The standard output of the process.
    ///
    /// Lines are dropped as for `standardError`.
    public static let standardOutput = stream(1)

    /// Returns an output that passes each line, without its line break, to a closure on any thread.
    public static func lines(_ take: @escaping @Sendable (String) -> Void) -> LogOutput { LogOutput(take) }

    func write(_ line: String) { take(line) }

    /// Returns an output that writes to a descriptor, which it does not close.
    static func stream(_ descriptor: Int32, patience: Duration = .milliseconds(100)) -> LogOutput {
        let stream = LogStream(descriptor, patience: patience)
        return LogOutput { stream.write($0) }
    }
}

/// The lines on their way to a descriptor, one after the other.
private final class LogStream: Sendable {
    private struct State: ~Copyable {
        /// Whether the last line was cut short.
        var isTorn = false
        /// Whether the last line found no room, so that the next one does not wait for any.
        var isFull = false
    }

    private let descriptor: Int32
    private let patience: Duration
    private let state = Locked(State())

    /// Creates a stream, with the time that a line may wait for room in a descriptor that does not block.
    init(_ descriptor: Int32, patience: Duration) {
        (self.descriptor, self.patience) = (descriptor, patience)
        #if canImport(Darwin)
            _ = fcntl(descriptor, F_SETNOSIGPIPE, 1)
        #endif
    }

    /// Writes a line.
    ///
    /// A failure does not fail the call that logs.
    func write(_ line: String) {
        // Locked while writing, so that lines do not mix.
        state.withLock { state in
            let bytes = Array(((state.isTorn ? "\n" : "") + line + "\n").utf8)
            let written = write(bytes, patience: state.isFull ? .zero : patience)
            state.isFull = written < bytes.count
            if written > 0 { state.isTorn = bytes[written - 1] != UInt8(ascii: "\n") }
        }
    }

    /// Returns the number of bytes that were written.
    private func write(_ bytes: [UInt8], patience: Duration) -> Int {
        bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return 0 }
            #if canImport(Glibc) || canImport(Musl)
                let milliseconds = Int32(clamping: patience.clampedNanoseconds / 1_000_000)
                return nk_write_quietly(descriptor, base, bytes.count, milliseconds)
            #else
                return max(0, Darwin.write(descriptor, base, bytes.count))
            #endif
        }
    }
}
