/// The progress of a transfer.
public struct TransferProgress: Sendable, Hashable {
    /// The number of bytes transferred; it starts again with each retry.
    public var completed: Int64
    /// The total number of bytes; `nil` if it is not known.
    public var total: Int64?
    /// The average number of bytes a second since the attempt began; `nil` until it is known.
    public var bytesPerSecond: Double?
    /// The number of the attempt, from 1.
    public var attempt: Int
    /// Whether the transfer has succeeded, which makes this its last update.
    public var isFinished: Bool

    /// Creates a progress value.
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

    /// The completed part, from 0 to 1; `nil` if the total is not known.
    public var fractionCompleted: Double? {
        if isFinished { return 1 }
        guard let total, total > 0 else { return nil }
        return min(1, Double(completed) / Double(total))
    }

    /// The estimated remaining time at the current pace; `nil` if it is not known.
    public var timeLeft: Duration? {
        if isFinished { return .zero }
        guard let total, let bytesPerSecond, bytesPerSecond > 0 else { return nil }
        return Duration(clampingSeconds: Double(max(0, total.subtractingSaturated(completed))) / bytesPerSecond)
    }
}
