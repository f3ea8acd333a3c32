extension HTTPClient: IdentityKnowing {
    nonisolated func identity(of request: HTTPRequest, tags: CallTags) -> RequestIdentity {
        var request = request
        guard (try? request.resolve(against: base.get())) != nil else { return .unknown }
        let call = Call(
            request,
            options: CallOptions(tags: tags),
            delivery: .streamed,
            timeouts: configuration.timeouts,
            settings: settings,
            start: configuration.clock.now,
            identity: pipeline.identity(for: request, tags: tags)
        )
        return pipeline.identity(of: request, RequestContext(call: call))
    }

    nonisolated var mayAddCredentials: Bool { !pipeline.adders.isEmpty }

    nonisolated func mayStand(for identity: CredentialIdentity) -> Bool {
        let positions = pipeline.adders.indices
        // With an interceptor of the user's own, the identity depends on the request, and so does the credential.
        guard !pipeline.hasCustomAdders, positions.count < 6 else { return true }
        let call = pipeline.identity(for: HTTPRequest(.get, RequestPath(raw: "/")), tags: CallTags())
        for chosen in 1..<max(1, 1 << positions.count) {
            let adding = positions.filter { chosen >> $0 & 1 == 1 }
            if case .known(let known) = call.ofRequest(addingAt: adding), known.continues(identity) { return true }
        }
        return false
    }
}
