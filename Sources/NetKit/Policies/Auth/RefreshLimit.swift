/// How many refreshes a `TokenStore` may make in how much time, so that a server that refuses every token is not flooded.
///
/// A maximum below 1 counts as 1, a window below zero as zero.
public struct RefreshLimit: Sendable, Hashable {
    /// How many refreshes there may be.
    public var maximum: Int
    /// In how much time.
    public var window: Duration

    /// Makes a limit.
    public init(maximum: Int = 5, window: Duration = .seconds(30)) {
        self.maximum = maximum
        self.window = window
    }

    /// Five in 30 seconds.
    public static let standard = RefreshLimit()

    var effectiveMaximum: Int { max(1, maximum) }
    var effectiveWindow: Duration { max(.zero, window) }

    /// What is out of range, and what it counts as.
    var warnings: [String] {
        var warnings: [String] = []
        if maximum < 1 { warnings.append("The refresh limit's maximum is \(maximum), which counts as 1.") }
        if window <= .zero {
            warnings.append(
                "The refresh limit's window is \(window.shortText): it limits nothing. Give it some seconds."
            )
        }
        return warnings
    }
}
