extension Duration {
    /// The duration in nanoseconds, limited to the range of 64 bits (292 years).
    package var clampedNanoseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000) }

    /// The duration in seconds, limited to the range of 64 bits.
    package var inSeconds: Double {
        // Outside that range, `components` traps.
        let (seconds, attoseconds) = min(max(self, .seconds(Int64.min)), .seconds(Int64.max)).components
        return Double(seconds) + Double(attoseconds) / 1e18
    }

    /// Creates a duration from a number of seconds; `nil` for NaN.
    ///
    /// Infinity gives the longest duration.
    package init?(clampingSeconds seconds: Double) {
        guard !seconds.isNaN else { return nil }
        let nanoseconds = (seconds * 1e9).rounded()
        self = .nanoseconds(Int64(exactly: nanoseconds) ?? (nanoseconds < 0 ? .min : .max))
    }

    /// The duration as a person would write it: `250 ms`, `1.5 s`, `2 min`.
    package var shortText: String {
        let seconds = inSeconds
        return switch abs(seconds) {
        case ..<0.001: "\(Self.trimmed(seconds * 1_000_000)) µs"
        case ..<1: "\(Self.trimmed(seconds * 1000)) ms"
        case ..<120: "\(Self.trimmed(seconds)) s"
        case ..<7200: "\(Self.trimmed(seconds / 60)) min"
        default: "\(Self.trimmed(seconds / 3600)) h"
        }
    }

    private static func trimmed(_ value: Double) -> String {
        let tenths = (value * 10).rounded() / 10
        guard tenths.magnitude < 1e15 else { return "\(tenths)" }
        return tenths == tenths.rounded() ? "\(Int64(tenths))" : "\(tenths)"
    }
}

extension FixedWidthInteger {
    func addingSaturated(_ other: Self) -> Self {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    func subtractingSaturated(_ other: Self) -> Self {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }

    func multipliedSaturated(by other: Self) -> Self {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
    }
}
