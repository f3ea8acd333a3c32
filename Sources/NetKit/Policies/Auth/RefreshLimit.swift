/// The limit for token refreshes that do not help.
///
/// A refresh helps if servers accept its token after they refused the old one, or if the token serves for a while
/// before it expires or is refused. Such refreshes are not limited. The others are limited in two ways:
///
/// - If the refresh closure throws, the next refresh may begin at once. If that one throws too, the next waits for a
///   sixtieth of `window / maxRefreshes`, and for twice as long after each further failure, up to the whole of it. A
///   refresh that succeeds resets the pause. With the standard limit, the pauses are 0.1, 0.2, 0.4, 0.8, 1.6, 3.2 and
///   then 6 seconds, so calls recover at most 6 seconds after the token server. During a pause, calls throw the error
///   of the failed refresh.
/// - If servers refuse the new tokens too, at most `maxRefreshes` such refreshes run in a `window`. After that, a
///   refused call throws `.unauthorized` immediately, or returns its 403.
///
/// A maximum below 1 counts as 1. A window below zero counts as zero, which limits nothing.
public struct RefreshLimit: Sendable, Hashable {
    /// The maximum number of refreshes in the window that produce refused tokens.
    public var maxRefreshes: Int
    /// The time for which such a refresh counts.
    public var window: Duration

    /// Creates a limit.
    public init(maxRefreshes: Int = 5, window: Duration = .seconds(30)) {
        self.maxRefreshes = maxRefreshes
        self.window = window
    }

    /// Five in 30 seconds, and pauses of 0.1 to 6 seconds.
    public static let standard = RefreshLimit()

    var effectiveMaximum: Int { max(1, maxRefreshes) }
    var effectiveWindow: Duration { max(.zero, window) }

    /// Returns the time before the next refresh after a number of consecutive failures.
    func pause(afterFailures count: Int) -> Duration {
        let longest = effectiveWindow / effectiveMaximum
        // A single failure may be chance, and waiting would only make more calls fail.
        guard count > 1 else { return .zero }
        return count <= 7 ? longest / 60 * (1 << (count - 2)) : longest
    }

    /// Diagnostics about values out of range, and the values that are used instead.
    var warnings: [String] {
        var warnings: [String] = []
        if maxRefreshes < 1 {
            warnings.append(
                "The refresh limit's maxRefreshes is \(maxRefreshes), which is out of range; 1 is used instead."
            )
        }
        if window <= .zero {
            warnings.append(
                "The refresh limit's window is \(window.shortText): it limits nothing. Give it some seconds."
            )
        }
        return warnings
    }
}

/// The cause of the error that a limit for refreshes throws.
struct RefreshLimitReached: Error {}
