/// A source of tokens for `AuthInterceptor`: `TokenStore`, or your own type.
///
/// A provider that only has a current token needs nothing but `current()`. `AuthInterceptor` asks for every request, so
/// return a token that is available at once from `readyToken`.
public protocol TokenProvider: Sendable {
    /// The name of the identity that the tokens stand for; never the token itself.
    ///
    /// A refresh does not change the name. Caches keep the responses of different identities apart. If the name is
    /// `nil`, no responses are shared.
    var identity: String? { get }

    /// The identity that the tokens stand for, and whether its name is persistent.
    ///
    /// The default is `identity` as a persistent name.
    var credentialIdentity: CredentialIdentity? { get }

    /// The current token, if it is available without waiting. If it is `nil`, `current()` is called.
    var readyToken: IssuedToken? { get }

    /// Whether a refused token can be replaced; if not, the server's refusal is the response.
    var canRefresh: Bool { get }

    /// Returns the current token, and fetches one if there is none; `nil` adds no header.
    func current() async throws -> IssuedToken?

    /// Returns a replacement for a refused token; `nil` if there is none and the refusal is the response.
    func replacement(for refused: IssuedToken) async throws -> IssuedToken?

    /// Notes the refusal of a request that cannot be sent again.
    func noteRefused(_ refused: IssuedToken)

    /// Notes whether the server accepted a token in a request that it had refused before.
    func noteReplay(of issued: IssuedToken, isAccepted: Bool)

    /// Diagnostics about its settings, one sentence each, for `explain()`.
    var warnings: [String] { get }
}

extension TokenProvider {
    /// No identity, so that no responses are shared.
    public var identity: String? { nil }

    /// The name in `identity`, as an identity with a persistent name.
    public var credentialIdentity: CredentialIdentity? { identity.map { CredentialIdentity($0) } }

    /// No token that is available at once.
    public var readyToken: IssuedToken? { nil }

    /// Whether a refused token can be replaced; `false` by default.
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

/// A provider that asks a closure for the token of every request.
struct ClosureTokenProvider: TokenProvider {
    let identity: String?
    let token: @Sendable () async throws -> String?

    func current() async throws -> IssuedToken? {
        let message = "The closure that returns the token makes a call that needs the token itself."
        let depth = try ClosureDepth.next(or: "\(message) Set `requiresAuth` to false for that call.")
        let value = try await ClosureDepth.$current.withValue(depth) { try await token() }
        return value.map { IssuedToken(AccessToken($0)) }
    }
}

/// A provider that always has the same credential.
struct FixedTokenProvider: TokenProvider {
    let credentialIdentity: CredentialIdentity?
    let readyToken: IssuedToken?
    let problem: NetKitError?

    var identity: String? { credentialIdentity?.name }

    var warnings: [String] { problem.map { [$0.message] } ?? [] }

    func current() async throws -> IssuedToken? {
        if let problem { throw problem }
        return readyToken
    }
}
