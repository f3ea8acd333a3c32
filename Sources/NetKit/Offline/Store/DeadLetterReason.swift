/// Why an entry was given up.
public struct DeadLetterReason: Sendable, Hashable, CustomStringConvertible {
    /// The reason's name, as it is kept on disk.
    public let description: String

    /// The server refused it with a status that sending it again would not change.
    public static let refused = DeadLetterReason("refused")
    /// The server sent it elsewhere, and it could not follow.
    public static let redirected = DeadLetterReason("redirected")
    /// Every attempt it had was used up.
    public static let attemptsUsedUp = DeadLetterReason("attempts used up")
    /// Its time was over.
    public static let expired = DeadLetterReason("expired")
    /// The request cannot be sent as it is.
    public static let notSendable = DeadLetterReason("not sendable")
    /// The stored request cannot be read.
    public static let unreadable = DeadLetterReason("unreadable")

    init(_ description: String) {
        self.description = description
    }
}
