/// The rule for a new entry if one of the same lane and coalescing key waits already.
///
/// An entry that is being sent right now is not waiting any more: what comes then is added behind it.
public struct CoalescingRule: Sendable, Hashable, CustomStringConvertible {
    /// The rule's name, as it is kept on disk.
    public let description: String

    /// The waiting entry stays, and the new one is not added.
    public static let keep = CoalescingRule(description: "keep")
    /// The new entry is added at the end, and the waiting one leaves with the same write.
    public static let replace = CoalescingRule(description: "replace")
    /// The new entry is added at the end, and the waiting one stays.
    public static let append = CoalescingRule(description: "append")

    /// The rule of a name, or `.append` where the name means nothing here: that loses nothing.
    init(named name: String) {
        self = [.keep, .replace].first { $0.description == name } ?? .append
    }

    private init(description: String) {
        self.description = description
    }
}
