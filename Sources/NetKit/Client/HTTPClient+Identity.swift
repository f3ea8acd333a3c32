extension HTTPClient: IdentityKnowing {
    nonisolated func identity(of request: HTTPRequest, tags: CallTags) -> RequestIdentity {
        var request = request
        guard (try? request.resolve(against: base.get())) != nil else { return .unknown }
        let call = Call(
            options: CallOptions(tags: tags),
            delivery: .streamed,
            timeouts: configuration.timeouts,
            deadline: nil,
            idempotencyKey: nil,
            settings: settings,
            identity: pipeline.identity(for: request, tags: tags)
        )
        return pipeline.identity(of: request, RequestContext(call: call))
    }
}
