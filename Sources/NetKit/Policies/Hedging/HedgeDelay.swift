/// The time that the first attempt has before a second one is sent.
public struct HedgeDelay: Sendable, Hashable, CustomStringConvertible {
    enum Kind: Sendable, Hashable {
        case fixed(Duration)
        case percentile(Double, atLeast: Duration, samples: Int)
    }

    let kind: Kind

    /// Returns a delay that is the same for each call.
    public static func fixed(_ delay: Duration) -> HedgeDelay { HedgeDelay(kind: .fixed(delay)) }

    /// Returns a delay at a percentile of the server's latest durations.
    ///
    /// Too few durations mean no second attempt.
    ///
    /// - Parameters:
    ///   - share: The share of calls, from 0 to 1.
    ///   - least: The minimum delay.
    ///   - samples: The number of calls that have to be measured first.
    /// - Returns: The delay.
    public static func percentile(
        _ share: Double,
        atLeast least: Duration = .milliseconds(5),
        samples: Int = 50
    ) -> HedgeDelay {
        HedgeDelay(kind: .percentile(share, atLeast: least, samples: samples))
    }

    /// The delay in words, with its values in their ranges.
    public var description: String {
        var check = SettingCheck()
        return switch checked(&check).kind {
        case .fixed(let delay): delay.shortText
        case .percentile(let share, let least, _):
            "the time \(Int((share * 100).rounded()))% of calls take, at least \(least.shortText)"
        }
    }

    /// Returns the delay with its values in their ranges.
    func checked(_ check: inout SettingCheck) -> HedgeDelay {
        let day = Duration.seconds(86_400)
        switch kind {
        case .fixed(let delay): return .fixed(check.duration("after", delay, in: .zero...day))
        case .percentile(let share, let least, let samples):
            return .percentile(
                check.number("percentile", share, in: 0...1, or: 0.95),
                atLeast: check.duration("atLeast", least, in: .zero...day),
                samples: check.count("samples", samples, in: 1...1000)
            )
        }
    }
}
