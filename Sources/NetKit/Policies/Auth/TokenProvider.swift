/// A source of tokens for `AuthInterceptor`: `TokenStore`, or a type of yours.
///
/// One that only knows the current token needs no more than `current()`. Every request that gets a credential asks, so
/// give what is at hand in `ready`, without waiting.
public protocol TokenProvider: Sendable {
    /// The identity for which the tokens stand, which a refresh does not change; never the token itself.
    ///
    /// Caches keep the responses of different identities apart. `nil` means that the identity is unknown; nothing is then shared.
    var identity: String? { get }

    /// The identity that the tokens stand for, and whether its name lasts; by default `identity` as a lasting name.
    var credentialIdentity: CredentialIdentity? { get }

    /// The current token, if it can be had without waiting; nil asks `current()`.
    var ready: IssuedToken? { get }

    /// Whether a refused token can be replaced; if not, the server's refusal is the response.
    var canRefresh: Bool { get }

    /// The current token, fetched if there is none; nil adds no header.
    func current() async throws -> IssuedToken?

    /// A token in place of one that a server refused; `nil` if there is none, and the refusal is the response.
    func replacement(for refused: IssuedToken) async throws -> IssuedToken?

    /// Notes the refusal of a request that cannot be sent again.
    func noteRefused(_ refused: IssuedToken)

    /// Hears how the server took a token that replaced a refused one: whether it answered the request that was sent again.
    func noteReplay(of issued: IssuedToken, isAccepted: Bool)

    /// Diagnostics about its settings, one sentence each, for `explain()`.
    var warnings: [String] { get }
}

extension TokenProvider {
    /// Unknown: nothing is shared.
    public var identity: String? { nil }

    /// The name in `identity`, taken as one that lasts.
    public var credentialIdentity: CredentialIdentity? { identity.map { CredentialIdentity($0) } }

    /// No token that is available at once.
    public var ready: IssuedToken? { nil }

    /// Not unless the provider says so.
    public var canRefresh: Bool { false }

    /// Returns no other token.
    public func replacement(for refused: IssuedToken) async throws -> IssuedToken? { nil }

    /// Does nothing.
    public func noteRefused(_ refused: IssuedToken) {}

    /// Does nothing.
    public func noteReplay(of issued: IssuedToken, isAccepted: Bool) {}

    /// No warnings.
    public var warnings: [String] { [] }
}

/// Asks a function for the token of every request.
struct ClosureTokenProvider: TokenProvider {
    let identity: String?
    let token: @Sendable () async throws -> String?

    func current() async throws -> IssuedToken? {
        try await token().map { IssuedToken(AccessToken($0)) }
    }
}

/// Always the same credential.
struct FixedTokenProvider: TokenProvider {
    let credentialIdentity: CredentialIdentity?
    let ready: IssuedToken?
    let problem: NetKitError?

    var identity: String? { credentialIdentity?.name }

    var warnings: [String] { problem.map { [$0.message] } ?? [] }

    func current() async throws -> IssuedToken? {
        if let problem { throw problem }
        return ready
    }
}
