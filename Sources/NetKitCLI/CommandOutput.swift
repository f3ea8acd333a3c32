import Foundation
import NetKit

/// The outputs of a command: results go to standard output, and everything else to standard error.
struct CommandOutput: Sendable {
    let text: @Sendable (String) -> Void
    let data: @Sendable (Data) -> Void
    let note: @Sendable (String) -> Void

    static let standard = CommandOutput(
        text: { write(Data(($0 + "\n").utf8)) },
        data: { write($0) },
        note: { note($0 + "\n") }
    )

    /// Writes a result, or ends the command, because the rest of its results would be lost too.
    private static func write(_ data: Data) {
        do {
            try OutputFile("/dev/stdout").write(data, to: .standardOutput)
        } catch {
            note("netkit: \((error as? NetKitError)?.message ?? "\(error)")\n")
            exit(ExitCode.failure.rawValue)
        }
    }

    /// Writes to standard error; there is no other place for the error if that fails.
    static func note(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}

extension String {
    /// The text without characters that command a terminal, its further lines indented so that none looks like another
    /// fact.
    var forTerminal: String {
        unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            .map { NetKitError.oneLine(String($0), limit: .max) }
            .joined(separator: "\n    ")
    }
}

/// Colors for terminals.
struct TerminalStyle: Sendable {
    enum Color: Int {
        case red = 31
        case green, yellow
        case cyan = 36
        case gray = 90
    }

    let isOn: Bool

    static let plain = TerminalStyle(isOn: false)

    /// Returns a style with colors if the descriptor is a terminal that supports them and `NO_COLOR` is not set.
    static func of(descriptor: Int32) -> TerminalStyle {
        let environment = ProcessInfo.processInfo.environment
        let isUnwanted = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        return TerminalStyle(isOn: isatty(descriptor) == 1 && !isUnwanted && environment["TERM"] != "dumb")
    }

    func callAsFunction(_ text: String, _ color: Color) -> String {
        isOn ? "\u{1B}[\(color.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// Returns a status in the color of its class.
    func status(_ status: HTTPStatus) -> String {
        switch status.code {
        case ..<300: self("\(status)", .green)
        case ..<400: self("\(status)", .cyan)
        case ..<500: self("\(status)", .yellow)
        default: self("\(status)", .red)
        }
    }
}

/// A progress line on the terminal, which is redrawn in place.
struct ProgressBar: Sendable {
    /// Draws the line.
    ///
    /// The last one ends with a line break.
    func show(_ progress: TransferProgress) {
        let text = "\r" + Self.line(for: progress, width: Self.terminalWidth - 1) + "\u{1B}[K"
        CommandOutput.note(progress.isFinished ? text + "\n" : text)
    }

    /// Ends the line after a failed transfer.
    func leave() {
        CommandOutput.note("\n")
    }

    /// Returns a line such as ` 42 % [=======>          ]  4.2 MB of 10 MB, 1.1 MB/s, 5 s left`, without the bar if it
    /// does not fit.
    static func line(for progress: TransferProgress, width: Int) -> String {
        var facts = bytes(progress.completed)
        if let total = progress.total, !progress.isFinished { facts += " of \(bytes(total))" }
        if let rate = progress.bytesPerSecond { facts += ", \(bytes(Int64(rate)))/s" }
        if let left = progress.timeLeft, !progress.isFinished { facts += ", \(left.components.seconds) s left" }
        if progress.attempt > 1 { facts += ", attempt \(progress.attempt)" }
        guard let fraction = progress.fractionCompleted else { return String(facts.prefix(max(0, width))) }
        let percent = "\(Int(fraction * 100)) %"
        let start = String(repeating: " ", count: max(0, 5 - percent.count)) + percent
        let room = min(40, width - start.count - facts.count - 5)
        guard room >= 5 else { return String("\(start)  \(facts)".prefix(max(0, width))) }
        let filled = Int(fraction * Double(room))
        var bar = String(repeating: "=", count: filled)
        if filled < room { bar += ">" + String(repeating: " ", count: room - filled - 1) }
        return "\(start) [\(bar)]  \(facts)"
    }

    private static func bytes(_ count: Int64) -> String {
        let units = ["bytes", "kB", "MB", "GB", "TB"]
        var (value, unit) = (Double(count), 0)
        while value >= 999.5, unit < units.count - 1 {
            value /= 1000
            unit += 1
        }
        let isWhole = unit == 0 || value >= 100
        return isWhole ? "\(Int(value.rounded())) \(units[unit])" : "\((value * 10).rounded() / 10) \(units[unit])"
    }

    static var terminalWidth: Int {
        var size = winsize()
        guard ioctl(2, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }
}
