/// An interceptor that adds a credential to requests: it tells the rest of the client what is secret, and whose it is.
///
/// `AuthInterceptor` is one; adopt this for a signing interceptor of your own.
public protocol CredentialAdding: Interceptor {
    /// The names of the header fields it sets; the client redacts their values.
    var secretHeaderNames: Set<String> { get }

    /// Who a request would be made for, or nil where no credential would be added to it.
    ///
    /// Caches and coalescing stand outside and ask before the credential is there.
    func principal(for request: HTTPRequest, context: RequestContext) -> Principal?
}

extension Next {
    /// Who a request is made for: the caller's own word, or what the first interceptor says that would add a credential.
    ///
    /// Nil means that none is added further on; what stands in the request already is not looked at.
    public func principal(for request: HTTPRequest, _ context: RequestContext) -> Principal? {
        context.call.principal ?? adders.lazy.compactMap { $0.principal(for: request, context: context) }.first
    }
}
