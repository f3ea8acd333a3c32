import Foundation

extension AuthInterceptor {
    /// Returns an interceptor that sends a user name and a password in UTF-8, as RFC 7617 says
    /// (`Authorization: Basic …`).
    ///
    /// A user name cannot contain a colon. Neither text can contain a control character, such as the line break at the
    /// end of a file. Otherwise every request throws `.invalidConfiguration`, and `explain()` reports it.
    ///
    /// - Parameters:
    ///   - user: The user name.
    ///   - password: The password.
    ///   - identity: A name for the pair, for caches and queues that outlive the process. By default it is random,
    ///     because with the user name alone a wrong password would get the responses of the right one.
    ///   - origins: The servers to which the pair may be sent.
    /// - Returns: An interceptor that adds the pair. If a server refuses it, the refusal is the response.
    public static func basic(
        user: String,
        password: String,
        identity: String? = nil,
        origins: AuthOrigins = .baseURL
    ) -> AuthInterceptor {
        var problem: NetKitError?
        if user.utf8.contains(UInt8(ascii: ":")) {
            let message = "The user name for Basic contains a colon, which ends it. Remove it."
            problem = NetKitError(.invalidConfiguration, message)
        } else if "\(user)\(password)".utf8.contains(where: \.isControl) {
            let message = "The user name or password for Basic contains a control character, such as a line break."
            problem = NetKitError(.invalidConfiguration, "\(message) Remove it.")
        }
        let text = "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
        return fixed(text, for: origins, identity, orRandom: "basic", kind: "user and password", problem: problem)
    }

    /// Returns an interceptor that sends a bearer token that does not change (`Authorization: Bearer …`).
    ///
    /// Use a ``TokenStore`` for a token that expires.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - identity: A name for the owner of the token, for caches and queues that outlive the process; a random one by
    ///     default.
    ///   - origins: The servers to which the token may be sent.
    /// - Returns: An interceptor that adds the token. If a server refuses it, the refusal is the response.
    public static func bearer(
        _ token: String,
        identity: String? = nil,
        origins: AuthOrigins = .baseURL
    ) -> AuthInterceptor {
        fixed("Bearer \(token)", for: origins, identity, orRandom: "bearer", kind: "bearer token")
    }

    /// Returns an interceptor that sends a key in a header field of its own.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - header: The header field that carries it; its value is redacted everywhere.
    ///   - identity: The name of the key's identity, for caches that outlive the process. The default is a random name.
    ///   - origins: The servers to which the key may be sent.
    /// - Returns: An interceptor that adds the key. If a server refuses it, the refusal is the response.
    public static func apiKey(
        _ key: String,
        header: String = "X-API-Key",
        identity: String? = nil,
        origins: AuthOrigins = .baseURL
    ) -> AuthInterceptor {
        fixed(key, in: header, for: origins, identity, orRandom: "api-key", kind: "key")
    }

    private static func fixed(
        _ text: String,
        in header: String = "Authorization",
        for origins: AuthOrigins,
        _ identity: String?,
        orRandom prefix: String,
        kind: String,
        problem: NetKitError? = nil
    ) -> AuthInterceptor {
        let identity = identity.map { CredentialIdentity($0) } ?? .random(prefix)
        let provider = FixedTokenProvider(
            credentialIdentity: identity,
            readyToken: problem == nil ? IssuedToken(AccessToken(text), identity: identity) : nil,
            problem: problem
        )
        return AuthInterceptor(provider, for: origins, in: header, kind: kind) { $0.value }
    }
}
