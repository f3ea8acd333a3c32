import Foundation

/// The delays after failed attempts, before jitter.
///
/// | strategy | after the 1st, 2nd, 3rd attempt |
/// |---|---|
/// | `.exponential(base: .seconds(1))` | 1 s, 2 s, 4 s, … up to the cap |
/// | `.linear(interval: .seconds(1))` | 1 s, 2 s, 3 s, … up to the cap |
/// | `.fixed(interval: .seconds(1))` | 1 s, 1 s, 1 s |
/// | `.decorrelated(base: .seconds(1))` | a random time between 1 s and three times the previous wait, up to the cap |
///
/// Delays never overflow: attempt 10,000 waits for the cap. A negative duration counts as zero, and a multiplier below
/// 1 or NaN counts as 1. An infinite multiplier leads to the cap. `explain()` reports such values.
public struct BackoffStrategy: Sendable, CustomStringConvertible {
    private enum Kind: Sendable {
        case exponential(base: Duration, multiplier: Double)
        case linear(interval: Duration, increment: Duration)
        case fixed(interval: Duration)
        case decorrelated(base: Duration)
        case custom(@Sendable (Int) -> Duration)
    }

    private let kind: Kind
    /// The maximum wait, including jitter, if there is one.
    public let cap: Duration?
    /// The strategy in words.
    public let description: String

    /// Returns a strategy whose waits grow by a factor from one attempt to the next.
    public static func exponential(
        base: Duration = .milliseconds(500),
        multiplier: Double = 2,
        cap: Duration = .seconds(20)
    ) -> BackoffStrategy {
        let factor = multiplier == 2 ? "" : " by \(multiplier)"
        let text = "exponential from \(base.shortText)\(factor) up to \(cap.shortText)"
        return BackoffStrategy(kind: .exponential(base: base, multiplier: multiplier), cap: cap, description: text)
    }

    /// Returns a strategy whose waits grow by the same step each time.
    ///
    /// The default step is the first wait.
    public static func linear(
        interval: Duration,
        increment: Duration? = nil,
        cap: Duration = .seconds(20)
    ) -> BackoffStrategy {
        let step = increment ?? interval
        let text = "linear from \(interval.shortText) by \(step.shortText) up to \(cap.shortText)"
        return BackoffStrategy(kind: .linear(interval: interval, increment: step), cap: cap, description: text)
    }

    /// Returns a strategy with the same wait each time.
    public static func fixed(interval: Duration) -> BackoffStrategy {
        BackoffStrategy(kind: .fixed(interval: interval), cap: nil, description: "\(interval.shortText) each time")
    }

    /// Returns a strategy of random waits between the base and three times the previous wait, without further jitter.
    public static func decorrelated(
        base: Duration = .milliseconds(500),
        cap: Duration = .seconds(20)
    ) -> BackoffStrategy {
        let text = "decorrelated from \(base.shortText) up to \(cap.shortText)"
        return BackoffStrategy(kind: .decorrelated(base: base), cap: cap, description: text)
    }

    /// Whether a closure computes the waits.
    var isCustom: Bool { if case .custom = kind { true } else { false } }

    /// Returns a strategy that asks a closure for the wait after each failed attempt, counted from 1.
    public static func custom(_ delay: @escaping @Sendable (Int) -> Duration) -> BackoffStrategy {
        BackoffStrategy(kind: .custom(delay), cap: nil, description: "custom")
    }

    /// Returns the wait after a failed attempt, counted from 1, before jitter.
    ///
    /// For a random strategy, it is the longest possible wait. Numbers below 1 count as 1.
    public func delay(forAttempt attempt: Int) -> Duration {
        let step = max(1, attempt)
        switch kind {
        case .exponential(let base, let multiplier):
            return grown(base, by: multiplier.isNaN ? 1 : max(1, multiplier), times: step - 1)
        case .linear(let interval, let increment):
            let seconds = max(0, interval.inSeconds) + max(0, increment.inSeconds) * Double(step - 1)
            return capped(Duration(clampingSeconds: seconds) ?? .zero)
        case .fixed(let interval):
            return capped(interval)
        case .decorrelated(let base):
            return grown(base, by: 3, times: step)
        case .custom(let delay):
            return capped(delay(step))
        }
    }

    /// Returns the wait after a failed attempt with its randomness: a number from 0 up to 1.
    func delay(forAttempt attempt: Int, previous: Duration?, jitter: Jitter, random: Double) -> Duration {
        guard case .decorrelated(let base) = kind else {
            return capped(jitter.applied(to: delay(forAttempt: attempt), random: random))
        }
        let low = max(0, base.inSeconds)
        let high = max(low, (previous?.inSeconds ?? low) * 3)
        return capped(Duration(clampingSeconds: low + (high - low) * random) ?? .zero)
    }

    /// Diagnostics about the values, one sentence each.
    var problems: [String] {
        var negative: [(String, Duration)] = []
        var problems: [String] = []
        switch kind {
        case .exponential(let base, let multiplier):
            negative.append(("base", base))
            if multiplier.isNaN || multiplier < 1 {
                problems.append("The back-off's multiplier is \(multiplier), which is out of range; 1 is used instead.")
            } else if multiplier.isInfinite {
                problems.append("The back-off's multiplier is inf; every wait but the first is the cap.")
            }
        case .linear(let interval, let increment):
            negative += [("interval", interval), ("increment", increment)]
        case .fixed(let interval): negative.append(("interval", interval))
        case .decorrelated(let base): negative.append(("base", base))
        case .custom: break
        }
        if let cap { negative.append(("cap", cap)) }
        return problems
            + negative.filter { $0.1 < .zero }.map { name, value in
                "The back-off's \(name) is \(value.shortText); it counts as none."
            }
    }

    private func grown(_ base: Duration, by factor: Double, times: Int) -> Duration {
        // Zero times infinity would not be a number.
        guard base > .zero else { return .zero }
        return capped(Duration(clampingSeconds: base.inSeconds * pow(factor, Double(times))) ?? .zero)
    }

    private func capped(_ delay: Duration) -> Duration {
        // A clock cannot count more.
        let delay = min(delay, cap ?? .nanoseconds(Int64.max), .nanoseconds(Int64.max))
        return max(.zero, delay)
    }
}
