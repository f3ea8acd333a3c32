/// A token that a provider issued, with a number that distinguishes it from later tokens.
public struct IssuedToken: Sendable, CustomStringConvertible, CustomReflectable {
    /// One reference to copy for every request, with a header value that is made once.
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
    ///   - version: The number that distinguishes the token from earlier ones.
    ///   - identity: The identity that the token stands for. If it is `nil`, the provider's current
    ///     `credentialIdentity` is used.
    public init(_ token: AccessToken, version: Int = 0, identity: CredentialIdentity? = nil) {
        self.init(Storage(token, identity), version)
    }

    private init(_ storage: Storage, _ version: Int) {
        self.storage = storage
        self.version = version
    }

    /// The token.
    public var token: AccessToken { storage.token }

    /// The identity that the provider gave with the token, if it gave one.
    public var identity: CredentialIdentity? { storage.identity }

    /// The value of the header `Authorization` for a bearer token.
    var bearer: String { storage.bearer }

    /// Returns the same token with another number.
    func reissued(as version: Int) -> IssuedToken { IssuedToken(storage, version) }

    /// The number, without the token.
    public var description: String { "IssuedToken(version \(version))" }

    /// A mirror with the number only, for `dump` and test reports.
    public var customMirror: Mirror { Mirror(self, children: ["version": version]) }
}
