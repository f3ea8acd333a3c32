/// A check that limits settings to their valid ranges, and records each value that was outside.
struct SettingCheck {
    /// The settings that were changed, one sentence each.
    private(set) var notes: [String] = []

    mutating func count(_ name: String, _ value: Int, in range: ClosedRange<Int>) -> Int {
        let used = min(max(value, range.lowerBound), range.upperBound)
        if used != value { note(name, "\(value)", "\(used)") }
        return used
    }

    /// Limits a number to a range; NaN becomes the fallback.
    mutating func number(
        _ name: String,
        _ value: Double,
        in range: ClosedRange<Double>,
        or fallback: Double
    ) -> Double {
        let used = value.isNaN ? fallback : min(max(value, range.lowerBound), range.upperBound)
        if used != value { note(name, "\(value)", "\(used)") }
        return used
    }

    mutating func duration(_ name: String, _ value: Duration, in range: ClosedRange<Duration>) -> Duration {
        let used = min(max(value, range.lowerBound), range.upperBound)
        if used != value { note(name, value.shortText, used.shortText) }
        return used
    }

    private mutating func note(_ name: String, _ given: String, _ used: String) {
        notes.append("\(name) is \(given), which is out of range; \(used) is used instead.")
    }
}
