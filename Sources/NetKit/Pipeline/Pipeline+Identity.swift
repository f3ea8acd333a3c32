extension Pipeline {
    /// Decides the identity of a call that begins now, unless its sequence has one already.
    func identity(for request: HTTPRequest, options: CallOptions) -> CallIdentity {
        guard !adders.isEmpty else { return CallIdentity() }
        func current(_ request: HTTPRequest, _ tags: CallTags) -> CallIdentity {
            CallIdentity(adders.map { $0.adder.identity(for: request, tags: tags) })
        }
        guard let sequence = options.sequence else { return current(request, options.tags) }
        return sequence.identity(of: request, tags: options.tags, current: current)
    }

    /// Returns the identity of a request as its call decided it; only credentials of interceptors from `index` on
    /// count.
    func identity(of request: HTTPRequest, _ context: RequestContext, from index: Int = 0) -> RequestIdentity {
        let positions = adders.indices.filter { position in
            let (place, adder) = adders[position]
            return place >= index && adder.addsCredential(to: request, context: context)
        }
        return context.call.identity.ofRequest(addingAt: positions)
    }

    /// Returns the identity under which a prepared request would be sent in a call of its own; without a decided one,
    /// that of this moment.
    func currentIdentity(
        of request: HTTPRequest,
        options: CallOptions,
        timeouts: Timeouts,
        settings: Call.Settings,
        as decided: CallIdentity? = nil
    ) -> RequestIdentity {
        let call = Call(
            request,
            options: options,
            delivery: .streamed,
            timeouts: timeouts,
            settings: settings,
            start: settings.clock.now,
            identity: decided ?? identity(for: request, options: options)
        )
        return identity(of: request, RequestContext(call: call))
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
