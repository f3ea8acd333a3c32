/// An interceptor that adds a credential to requests, and declares its secret fields and its identity.
///
/// `AuthInterceptor` is one; adopt this protocol for a signing interceptor of your own. The client asks for the
/// identity once, when a call begins, and separates stored and shared responses by it. A call whose credential stands
/// for another identity by the time it is sent ends with `.unauthorized`.
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
    func addsCredential(to request: HTTPRequest, context: RequestContext) -> Bool
}

extension CredentialAdding {
    /// Returns `true`.
    public func addsCredential(to request: HTTPRequest, context: RequestContext) -> Bool { true }
}

extension Next {
    /// Returns the principal of a request: the one that the caller named, or that of all later interceptors that add a
    /// credential.
    ///
    /// `nil` means that no later interceptor adds one. A credential that is already in the request is not considered.
    public func principal(for request: HTTPRequest, _ context: RequestContext) -> Principal? {
        if let named = context.call.principal { return named }
        guard case (let pipeline, let index)? = chain, !pipeline.adders.isEmpty else { return nil }
        switch pipeline.identity(of: request, context, from: index) {
        case .anonymous: return nil
        case .known(let identity): return Principal(identity.name)
        case .unknown: return .ofOneCall(context.id)
        }
    }

    /// Throws if the current credential of the interceptor that received this value stands for another identity than at
    /// the beginning of the call.
    func verify(_ current: CredentialIdentity?, _ context: RequestContext) throws {
        guard let position = adderPosition else { return }
        try context.call.identity.verify(current, at: position, of: context.call)
    }
}

extension Pipeline {
    /// Decides the identity of a call that begins now.
    func identity(for request: HTTPRequest, tags: CallTags) -> CallIdentity {
        adders.isEmpty ? CallIdentity() : CallIdentity(adders.map { $0.adder.identity(for: request, tags: tags) })
    }

    /// Returns the identity of a request as its call decided it.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: The call that it belongs to.
    ///   - index: The index of the first interceptor whose credential counts.
    /// - Returns: The identity.
    func identity(of request: HTTPRequest, _ context: RequestContext, from index: Int = 0) -> RequestIdentity {
        let positions = adders.indices.filter { position in
            let (place, adder) = adders[position]
            return place >= index && adder.addsCredential(to: request, context: context)
        }
        return context.call.identity.ofRequest(addingAt: positions)
    }

    /// Throws if the credential of a custom interceptor now stands for another identity.
    ///
    /// `AuthInterceptor` makes this comparison with the token that it adds.
    func verifyIdentity(of request: HTTPRequest, in call: Call) throws {
        guard hasCustomAdders else { return }
        for (position, (_, adder)) in adders.enumerated() where !(adder is any IdentityVerifying) {
            try call.identity.verify(adder.identity(for: request, tags: call.tags), at: position, of: call)
        }
    }
}

/// An interceptor that compares the identity of the credential that it adds.
protocol IdentityVerifying: CredentialAdding {}
