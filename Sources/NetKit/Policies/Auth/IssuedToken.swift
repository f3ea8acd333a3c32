/// A token as a provider handed it out: with a number that tells a refused one from the one that came after it.
public struct IssuedToken: Sendable, CustomStringConvertible, CustomReflectable {
    /// One reference, because it is copied for every request, and the header's value is always the same.
    private final class Storage: Sendable {
        let token: AccessToken
        let bearer: String
        let identity: CredentialIdentity?

        init(_ token: AccessToken, _ identity: CredentialIdentity?) {
            self.token = token
            self.identity = identity
            bearer = "Bearer " + token.value
        }
    }

    private let storage: Storage
    /// The number of the token; later tokens of a provider have higher numbers.
    public let version: Int

    /// Creates a token to hand out.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - version: The number that tells it from earlier ones.
    ///   - identity: The identity that the token stands for; `nil` if that is the provider's `identity` whenever it is asked.
    public init(_ token: AccessToken, version: Int = 0, identity: CredentialIdentity? = nil) {
        self.init(Storage(token, identity), version)
    }

    private init(_ storage: Storage, _ version: Int) {
        self.storage = storage
        self.version = version
    }

    /// The token.
    public var token: AccessToken { storage.token }

    /// The identity that the token stands for, if the provider said so with the token.
    public var identity: CredentialIdentity? { storage.identity }

    /// The value of the header `Authorization` for a bearer token.
    var bearer: String { storage.bearer }

    /// The same token under another number.
    func reissued(as version: Int) -> IssuedToken { IssuedToken(storage, version) }

    /// The number, without the token.
    public var description: String { "IssuedToken(version \(version))" }

    /// Shows the number only, to `dump` and to test reports as well.
    public var customMirror: Mirror { Mirror(self, children: ["version": version]) }
}
