/// An interceptor that adds a credential to requests, and declares its secret fields and its identity.
///
/// `AuthInterceptor` is one; adopt this protocol for a signing interceptor of your own. The client asks for the
/// identity once, when a call begins, and separates stored and shared responses by it. A call whose credential stands
/// for another identity by the time it is sent ends with `.unauthorized`.
///
/// No interceptor has changed the request when the call begins. If the identity depends on a header field that an
/// interceptor adds, return `nil` without that field, and not the identity of another owner. No response is stored or
/// shared then, unless the call names its principal.
public protocol CredentialAdding: Interceptor {
    /// The names of the header fields that it sets; the client redacts their values.
    var secretHeaderNames: Set<String> { get }

    /// Returns the identity that the credential of a request stands for now.
    ///
    /// - Parameters:
    ///   - request: The request, for credentials that depend on it.
    ///   - tags: The tags of its call, for credentials that depend on them.
    /// - Returns: The identity; `nil` if it is unknown, in which case no response is stored or shared.
    func identity(for request: HTTPRequest, tags: CallTags) -> CredentialIdentity?

    /// Returns whether a credential is added to a request; by default always.
    ///
    /// The cache and coalescing ask it about the request that they receive. The identities of a call are compared even
    /// if it returns `false`, because a request that already has its credential may look like one that needs none. If
    /// requests of a kind are always sent without a credential, return `nil` for them from `identity(for:tags:)`.
    func addsCredential(to request: HTTPRequest, context: RequestContext) -> Bool
}

extension CredentialAdding {
    /// Returns `true`.
    public func addsCredential(to request: HTTPRequest, context: RequestContext) -> Bool { true }
}
