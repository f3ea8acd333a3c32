/// Where lines of a log go: a standard stream of the process, or a function.
public struct LogOutput: Sendable {
    private let take: @Sendable (String) -> Void

    private init(_ take: @escaping @Sendable (String) -> Void) {
        self.take = take
    }

    /// The process's standard error.
    public static let standardError = stream(2, "standard error")

    /// The process's standard output.
    public static let standardOutput = stream(1, "standard output")

    /// A function, which gets each line without its end, from any thread.
    public static func lines(_ take: @escaping @Sendable (String) -> Void) -> LogOutput { LogOutput(take) }

    func write(_ line: String) {
        take(line)
    }

    private static func stream(_ descriptor: Int32, _ name: String) -> LogOutput {
        // Kept by the closure of a static value, and so never closed.
        let file = OpenFile(descriptor: descriptor, path: name)
        let system = SystemFileSystem()
        return LogOutput { line in
            // Held while writing, so that no two lines mix; nothing else waits for it. A log that cannot be written is no
            // reason to fail a call.
            lock.withLock { _ in
                _ = try? Array((line + "\n").utf8).withUnsafeBytes { try system.writeAll($0, to: file) }
            }
        }
    }

    private static let lock = Locked(())
}
