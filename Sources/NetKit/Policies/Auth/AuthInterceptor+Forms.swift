import Foundation

extension AuthInterceptor {
    /// User name and password, as RFC 7617 says (`Authorization: Basic …`), in UTF-8.
    ///
    /// A user name with a colon cannot be sent: every request is `.invalidConfiguration`, and `explain()` says so.
    ///
    /// - Parameters:
    ///   - user: The user name.
    ///   - password: The password.
    ///   - identity: A name for the pair, for caches and queues that outlive the process; by default a random one, because the
    ///     user name alone would give a wrong password the responses of the right one.
    ///   - origins: The servers to which the pair may go.
    /// - Returns: An interceptor that adds the pair; a refusal of it is simply the response.
    public static func basic(
        user: String,
        password: String,
        identity: String? = nil,
        origins: AuthOrigins = .baseURL
    ) -> AuthInterceptor {
        let problem =
            user.contains(":")
            ? NetKitError(.invalidConfiguration, "The user name for Basic contains a colon, which ends it. Remove it.")
            : nil
        let text = "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
        let identity = identity.map { CredentialIdentity($0) } ?? .random("basic")
        return fixed(text, identity: identity, origins, "Authorization", kind: "user and password", problem)
    }

    /// A key in a header of its own.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - header: The header field that carries it; its value is redacted everywhere.
    ///   - identity: Who the key stands for, for caches that outlive the process; a random name if there is none.
    ///   - origins: Which servers it may go to.
    /// - Returns: An interceptor that adds the key; a refusal of it is simply the response.
    public static func apiKey(
        _ key: String,
        header: String = "X-API-Key",
        identity: String? = nil,
        origins: AuthOrigins = .baseURL
    ) -> AuthInterceptor {
        let identity = identity.map { CredentialIdentity($0) } ?? .random("api-key")
        return fixed(key, identity: identity, origins, header, kind: "key", nil)
    }

    private static func fixed(
        _ text: String,
        identity: CredentialIdentity,
        _ origins: AuthOrigins,
        _ header: String,
        kind: String,
        _ problem: NetKitError?
    ) -> AuthInterceptor {
        let provider = FixedTokenProvider(
            credentialIdentity: identity,
            ready: problem == nil ? IssuedToken(AccessToken(text), identity: identity) : nil,
            problem: problem
        )
        return AuthInterceptor(provider, origins, header, false, kind: kind) { $0.value }
    }

    /// Returns warnings about the origins of its credential, and about its provider.
    public func warnings(in client: ClientInspection) -> [String] {
        let rivals = client.all(AuthInterceptor.self).filter { other in
            HTTPHeaders.isEqual(other.header, header) && other.origins.overlaps(origins, baseURL: client.baseURL)
        }
        let repeated =
            "\(rivals.count) AuthInterceptors set \(header) for the same origin: only the first of them does. Keep one, or "
            + "part their origins."
        return (rivals.count > 1 ? [repeated] : []) + origins.warnings(baseURL: client.baseURL) + provider.warnings
    }
}
