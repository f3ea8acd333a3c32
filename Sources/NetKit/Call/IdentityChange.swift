/// The cause of an `.unauthorized` error if the credential changed to another identity during the call.
public struct IdentityChange: Error, Hashable, CustomStringConvertible {
    /// The reason in words.
    public var description: String { "the credential stands for a different identity than when the call began" }

    static func error(outcome: NetKitError.Outcome) -> NetKitError {
        let message =
            "The login changed while the call was under way, so it was not sent with the new credential. "
            + "Make the call again if it is meant for the new identity."
        return NetKitError(.unauthorized, message, outcome: outcome, cause: IdentityChange())
    }
}
