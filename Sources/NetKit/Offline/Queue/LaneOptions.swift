/// The behaviour of a lane besides keeping its order.
public struct LaneOptions: Sendable, Hashable {
    /// Whether a dead letter holds up what stands behind it until it is retried or removed.
    public var deadLettersBlock: Bool
    /// Whether an entry that waits for a person holds up what stands behind it.
    public var conflictsBlock: Bool

    /// Makes options; nothing blocks unless said so.
    public init(deadLettersBlock: Bool = false, conflictsBlock: Bool = false) {
        self.deadLettersBlock = deadLettersBlock
        self.conflictsBlock = conflictsBlock
    }
}
