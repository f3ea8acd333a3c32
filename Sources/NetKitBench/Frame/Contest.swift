import NetKit
import NetKitTesting

/// Runs contenders in rounds: every round runs each of them once, in an order of its own, so that noise hits each alike.
struct Contest: Sendable {
    let rounds: Int
    let seed: UInt64
    /// Whether a first round goes uncounted.
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

    /// A shuffled order.
    static func order(of count: Int, _ random: RandomSource) -> [Int] {
        var random = random
        return Array(0..<count).shuffled(using: &random)
    }

    /// The measurements of a contest, for each contender those of each round.
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

        /// Median and range of something.
        func summary(of name: String, _ value: (Measurement) -> Double?) -> Summary? {
            Summary(self[name].compactMap(value))
        }

        /// Median and range of one contender's value as a ratio to another's, round by round: what disturbs a round
        /// disturbs both.
        func ratio(of name: String, to other: String, _ value: (Measurement) -> Double?) -> Summary? {
            Summary(
                zip(self[name], self[other]).compactMap { own, others in
                    guard let own = value(own), let others = value(others), others != 0 else { return nil }
                    return own / others
                }
            )
        }

        /// Returns the number of failed calls of a contender, in all rounds.
        func failureCount(of name: String) -> Int {
            self[name].map(\.failureCount).reduce(0, +)
        }

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
