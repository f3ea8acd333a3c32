import Foundation
import NetKit

/// A line of the terminal that shows how far a transfer is, drawn over itself.
struct ProgressBar: Sendable {
    /// Draws the line; the last one ends with a line break.
    func show(_ progress: TransferProgress) {
        let text = "\r" + Self.line(for: progress, width: Self.terminalWidth - 1) + "\u{1B}[K"
        FileHandle.standardError.write(Data((progress.isFinished ? text + "\n" : text).utf8))
    }

    /// Leaves a line as it is, where a transfer failed.
    func leave() {
        FileHandle.standardError.write(Data("\n".utf8))
    }

    /// ` 42 % [=======>          ]  4.2 MB of 10 MB, 1.1 MB/s, 5 s left`, without the bar where there is no room for it.
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
