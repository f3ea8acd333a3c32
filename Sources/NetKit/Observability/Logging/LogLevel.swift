/// How much a log record matters.
public struct LogLevel: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The level's name.
    public let description: String
    private let rank: Int

    private init(_ rank: Int, _ name: String) {
        self.rank = rank
        description = name
    }

    /// Everything there is.
    public static let trace = LogLevel(10, "trace")
    /// What helps in looking for a fault: each attempt.
    public static let debug = LogLevel(20, "debug")
    /// What goes as it should: each call.
    public static let info = LogLevel(30, "info")
    /// What is worth a look: an attempt that failed, a call that the server refused.
    public static let notice = LogLevel(40, "notice")
    /// What should not be: a call that the server failed.
    public static let warning = LogLevel(50, "warning")
    /// What went wrong: a call without an answer.
    public static let error = LogLevel(60, "error")
    /// What stops the service; NetKit itself never writes it.
    public static let critical = LogLevel(70, "critical")

    /// Every level, from the least important.
    public static let all: [LogLevel] = [.trace, .debug, .info, .notice, .warning, .error, .critical]

    /// Whether one level matters less than another.
    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rank < right.rank }
}
