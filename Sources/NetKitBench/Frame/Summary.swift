import Foundation

/// Median and range of several rounds: the machine is noisy, and one number would hide it.
struct Summary: Codable, Equatable, Sendable {
    let median: Double
    let low: Double
    let high: Double
    /// The number of rounds.
    let count: Int

    /// Summarises rounds; `nil` if none was measured.
    init?(_ values: [Double]) {
        let sorted = values.filter(\.isFinite).sorted()
        guard let first = sorted.first, let last = sorted.last else { return nil }
        median = sorted[sorted.count / 2]
        low = first
        high = last
        count = sorted.count
    }

    /// A number that was not measured in rounds.
    init(single value: Double) {
        (median, low, high, count) = (value, value, value, 1)
    }

    /// Whether the range says more than the median.
    var hasRange: Bool { count > 1 }

    var text: String {
        let middle = NumberText.text(median)
        return hasRange ? "\(middle) (\(NumberText.text(low))…\(NumberText.text(high)))" : middle
    }
}
