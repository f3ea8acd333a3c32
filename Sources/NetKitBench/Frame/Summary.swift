import Foundation

/// The median and the range of several rounds, because one number would hide the noise of the machine.
struct Summary: Codable, Equatable, Sendable {
    let median: Double
    let low: Double
    let high: Double
    /// The number of rounds.
    let count: Int

    /// Creates a summary of rounds; `nil` if none was measured.
    init?(_ values: [Double]) {
        let sorted = values.filter(\.isFinite).sorted()
        guard let first = sorted.first, let last = sorted.last else { return nil }
        median = (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
        low = first
        high = last
        count = sorted.count
    }

    /// Creates a summary of a number that was not measured in rounds.
    init(single value: Double) {
        (median, low, high, count) = (value, value, value, 1)
    }

    /// Whether there are several rounds, so that there is a range.
    var hasRange: Bool { count > 1 }

    var text: String {
        let middle = NumberText.text(median)
        return hasRange ? "\(middle) (\(NumberText.text(low))…\(NumberText.text(high)))" : middle
    }
}
