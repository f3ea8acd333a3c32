/// The reason why a cache has no response: the `cause` of a `.cacheMiss`.
public struct CacheMiss: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason in one word.
    public let description: String

    private init(_ description: String) { self.description = description }

    /// No response is stored.
    public static let absent = CacheMiss("absent")
    /// A response is stored, but it has expired.
    public static let expired = CacheMiss("expired")

    /// Returns the error that carries the reason.
    func error(about subject: String, isCall: Bool = true) -> NetKitError {
        let problem = self == .expired ? "is too old" : "is not stored"
        let policy = isCall ? ", and the policy does not allow an exchange with the server" : ""
        return NetKitError(.cacheMiss, "\(subject) \(problem)\(policy).", cause: self)
    }
}
