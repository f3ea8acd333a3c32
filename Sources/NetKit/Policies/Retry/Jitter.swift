/// The random change of a delay, so that callers that failed together do not return together.
///
/// | jitter | a wait of 8 s becomes |
/// |---|---|
/// | `.none` | 8 s |
/// | `.full` | 0 to 8 s |
/// | `.equal` | 4 to 8 s |
/// | `.proportional(0.25)` | 6 to 10 s, at most the back-off's cap |
/// | `.additive(upTo: .seconds(1))` | 8 to 9 s, at most the back-off's cap |
///
/// A proportion is clamped to 0…1. NaN and a negative duration count as zero. `explain()` reports such values.
public struct Jitter: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: Hashable {
        case spread(from: Double, to: Double)
        case additive(Duration)
    }

    private let kind: Kind
    /// The jitter in words.
    public let description: String
    /// The problem of the values, as a sentence.
    let problem: String?

    private init(_ kind: Kind, _ description: String, problem: String? = nil) {
        self.kind = kind
        self.description = description
        self.problem = problem
    }

    /// No jitter: all callers wait the same time.
    public static let none = Jitter(.spread(from: 1, to: 1), "no jitter")
    /// A random part of the wait, from none to all of it.
    ///
    /// It spreads callers best.
    public static let full = Jitter(.spread(from: 0, to: 1), "full jitter")
    /// Half of the wait, and a random part of the other half.
    public static let equal = Jitter(.spread(from: 0.5, to: 1), "equal jitter")

    /// Returns jitter that lengthens or shortens the wait by up to a proportion of it.
    public static func proportional(_ part: Double) -> Jitter {
        let used = part.isNaN ? 0 : min(max(0, part), 1)
        let problem = part == used ? nil : "The jitter's proportion is \(part); it counts as \(used)."
        let percentage = Int((used * 100).rounded())
        return Jitter(.spread(from: 1 - used, to: 1 + used), "jitter of \(percentage)%", problem: problem)
    }

    /// Returns jitter that adds up to a duration to the wait.
    public static func additive(upTo most: Duration) -> Jitter {
        let problem = most < .zero ? "The jitter's bound is \(most.shortText); it counts as none." : nil
        let used = max(.zero, most)
        return Jitter(.additive(used), "jitter of up to \(used.shortText) more", problem: problem)
    }

    /// Returns the wait with jitter; `random` is a number from 0 up to 1.
    func applied(to delay: Duration, random: Double) -> Duration {
        switch kind {
        case .spread(let low, let high):
            // Without randomness the wait is exact: a second stays a second.
            guard low < high else { return delay }
            return Duration(clampingSeconds: delay.inSeconds * (low + (high - low) * random)) ?? delay
        case .additive(let most):
            return delay + (Duration(clampingSeconds: most.inSeconds * random) ?? .zero)
        }
    }
}
