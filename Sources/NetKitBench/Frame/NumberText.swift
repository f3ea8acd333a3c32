import Foundation

/// Readable numbers, with two decimals below 10, one below 100, and none from 100 on.
enum NumberText {
    static func text(_ value: Double) -> String {
        guard value.isFinite else { return "none" }
        let size = abs(value)
        // A whole number has no decimals, however small it is.
        let decimals = size >= 100 || value == value.rounded() ? 0 : size >= 10 ? 1 : 2
        let plain = String(format: "%.\(decimals)f", value)
        return decimals == 0 ? grouped(plain) : plain
    }

    /// Returns a number of bytes in the unit that suits it, of 1000 each.
    static func bytes(_ count: Double) -> String {
        switch abs(count) {
        case 1e9...: "\(text(count / 1e9)) GB"
        case 1e6...: "\(text(count / 1e6)) MB"
        case 1e3...: "\(text(count / 1e3)) kB"
        default: "\(text(count)) bytes"
        }
    }

    /// Returns a time in the unit that suits it.
    static func seconds(_ seconds: Double) -> String {
        switch abs(seconds) {
        case 1...: "\(text(seconds)) s"
        case 1e-3...: "\(text(seconds * 1e3)) ms"
        default: "\(text(seconds * 1e6)) µs"
        }
    }

    /// Returns the counts by name, the most frequent first.
    static func counts(_ counts: [String: Int]) -> String {
        counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { "\(text(Double($0.value))) × \($0.key)" }
            .joined(separator: ", ")
    }

    private static func grouped(_ digits: String) -> String {
        let isNegative = digits.hasPrefix("-")
        var result = ""
        let plain = isNegative ? String(digits.dropFirst()) : digits
        for (index, digit) in plain.enumerated() {
            if index > 0, (plain.count - index) % 3 == 0 { result += "," }
            result.append(digit)
        }
        return (isNegative ? "-" : "") + result
    }
}
