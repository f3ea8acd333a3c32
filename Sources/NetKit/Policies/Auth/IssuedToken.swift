/// A token as a provider handed it out: with a number that tells a refused one from the one that came after it.
public struct IssuedToken: Sendable, CustomStringConvertible, CustomReflectable {
    /// One reference, because it is copied for every request, and the header's value is always the same.
    private final class Storage: Sendable {
        let token: AccessToken
        let bearer: String

        init(_ token: AccessToken) {
            self.token = token
            bearer = "Bearer " + token.value
        }
    }

    private let storage: Storage
    /// Which of the provider's tokens it is; later ones have higher numbers.
    public let version: Int

    /// Makes a token to hand out.
    public init(_ token: AccessToken, version: Int = 0) {
        self.init(Storage(token), version)
    }

    private init(_ storage: Storage, _ version: Int) {
        self.storage = storage
        self.version = version
    }

    /// The token.
    public var token: AccessToken { storage.token }

    /// The value of the header `Authorization` for a bearer token.
    var bearer: String { storage.bearer }

    /// The same token under another number.
    func reissued(as version: Int) -> IssuedToken { IssuedToken(storage, version) }

    /// The number, without the token.
    public var description: String { "IssuedToken(version \(version))" }

    /// Shows the number only, to `dump` and to test reports as well.
    public var customMirror: Mirror { Mirror(self, children: ["version": version]) }
}
