import NetKit
import NetKitTesting

/// A comparison of contenders in rounds.
///
/// Each round runs every contender once, in a random order, so that noise affects all alike.
struct Contest: Sendable {
    let rounds: Int
    let seed: UInt64
    /// Whether a first round is run but not counted.
    var warmsUp = true

    /// Returns the measurements of each contender in each round, in the order of the contenders.
    func run(_ contenders: [Contender]) async throws -> Results {
        var results = Results(names: contenders.map(\.name))
        let random = RandomSource.seeded(seed)
        for round in (warmsUp ? 0 : 1)...max(1, rounds) {
            for index in Self.order(of: contenders.count, random) {
                let measurement = try await contenders[index].measure()
                if round > 0 { results.add(measurement, to: index) }
            }
        }
        return results
    }

    /// Returns a shuffled order.
    static func order(of count: Int, _ random: RandomSource) -> [Int] {
        var random = random
        return Array(0..<count).shuffled(using: &random)
    }

    /// The measurements of a contest: those of each round, for each contender.
    struct Results: Sendable {
        let names: [String]
        private(set) var measurements: [[Measurement]]

        init(names: [String]) {
            self.names = names
            measurements = names.map { _ in [] }
        }

        mutating func add(_ measurement: Measurement, to index: Int) {
            measurements[index].append(measurement)
        }

        subscript(name: String) -> [Measurement] {
            names.firstIndex(of: name).map { measurements[$0] } ?? []
        }

        /// Returns the median and the range of a value.
        func summary(of name: String, _ value: (Measurement) -> Double?) -> Summary? {
            Summary(self[name].compactMap(value))
        }

        /// Returns the median and the range of the ratio of two contenders' values, round by round, because a
        /// disturbance of a round affects both.
        func ratio(of name: String, to other: String, _ value: (Measurement) -> Double?) -> Summary? {
            comparison(of: name, with: other, value, /)
        }

        /// Returns the median and the range of the difference between two contenders' values, round by round.
        func difference(of name: String, from other: String, _ value: (Measurement) -> Double?) -> Summary? {
            comparison(of: name, with: other, value, -)
        }

        /// Returns a summary of the rounds in which no call of the two failed, because failing is not the same work.
        private func comparison(
            of name: String,
            with other: String,
            _ value: (Measurement) -> Double?,
            _ compare: (Double, Double) -> Double
        ) -> Summary? {
            Summary(
                zip(self[name], self[other]).compactMap { own, others in
                    guard own.failures.isEmpty, others.failures.isEmpty else { return nil }
                    return value(own).flatMap { own in value(others).map { compare(own, $0) } }
                }
            )
        }

        /// Returns the number of failed calls of a contender, in all rounds.
        func failureCount(of name: String) -> Int {
            self[name].map(\.failureCount).reduce(0, +)
        }

        /// The number of failed calls of all contenders.
        var failureCount: Int { measurements.joined().map(\.failureCount).reduce(0, +) }

        /// The failures in words, for the notes of a report.
        var failureNotes: [String] {
            names.compactMap { name in
                var counts: [String: Int] = [:]
                for measurement in self[name] { counts.merge(measurement.failures, uniquingKeysWith: +) }
                guard !counts.isEmpty else { return nil }
                return "\(name): calls failed: \(NumberText.counts(counts))."
            }
        }
    }
}
