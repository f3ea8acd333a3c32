/// How far a transfer has come.
public struct TransferProgress: Sendable, Hashable {
    /// How many bytes were transferred; after a retry it begins anew.
    public var completed: Int64
    /// How many bytes there are, where that is known.
    public var total: Int64?
    /// How many bytes a second it has been, since this attempt began; nil until that can be told.
    public var bytesPerSecond: Double?
    /// Which attempt this is, from 1.
    public var attempt: Int
    /// Whether this is the last word on a transfer that succeeded.
    public var isFinished: Bool

    /// Makes a state.
    public init(
        completed: Int64,
        total: Int64? = nil,
        bytesPerSecond: Double? = nil,
        attempt: Int = 1,
        isFinished: Bool = false
    ) {
        (self.completed, self.total, self.bytesPerSecond) = (completed, total, bytesPerSecond)
        (self.attempt, self.isFinished) = (attempt, isFinished)
    }

    /// How much of it is done, from 0 to 1; nil where the total is not known.
    public var fractionCompleted: Double? {
        if isFinished { return 1 }
        guard let total, total > 0 else { return nil }
        return min(1, Double(completed) / Double(total))
    }

    /// How long it will take at the pace so far; nil where that cannot be told.
    public var timeLeft: Duration? {
        if isFinished { return .zero }
        guard let total, let bytesPerSecond, bytesPerSecond > 0 else { return nil }
        return Duration(clampingSeconds: Double(max(0, total - completed)) / bytesPerSecond)
    }
}
