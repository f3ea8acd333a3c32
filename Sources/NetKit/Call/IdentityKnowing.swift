/// A sender that knows its credentials, and the identity under which it would send a request now.
protocol IdentityKnowing: RequestSending {
    /// The rules for redacting sensitive values, which include the fields of its credentials.
    var redaction: Redaction { get }

    /// Returns the identity under which a request would be sent now; unknown if the request cannot be sent.
    ///
    /// It is that of the options' sequence, which begins now if this is its first request.
    func identity(of request: HTTPRequest, options: CallOptions) -> RequestIdentity

    /// Whether a credential may be added to a request at all.
    var mayAddCredentials: Bool { get }

    /// Whether an interceptor may add a secret field to a request without saying whose it is.
    var mayAddUnnamedSecrets: Bool { get }

    /// The identity of the transport, which may be secret; `nil` if servers respond as to any other transport.
    var transportIdentity: String? { get }

    /// The names of the identities under which requests would be sent now, without provisional ones and with them;
    /// `nil` if they depend on the request.
    var identityNames: (settled: Set<ExactText>, all: Set<ExactText>)? { get }
}

extension IdentityKnowing {
    /// Returns the identity under which a request would be sent now; unknown if the request cannot be sent.
    func identity(of request: HTTPRequest, tags: CallTags) -> RequestIdentity {
        identity(of: request, options: CallOptions(tags: tags))
    }
}
