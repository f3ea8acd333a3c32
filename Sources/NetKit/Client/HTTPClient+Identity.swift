extension HTTPClient: IdentityKnowing {
    nonisolated var redaction: Redaction { configuration.redaction }

    nonisolated func identity(of request: HTTPRequest, options: CallOptions) -> RequestIdentity {
        var request = request
        guard (try? request.resolve(against: base.get())) != nil else { return .unknown }
        return pipeline.currentIdentity(
            of: request,
            options: options,
            timeouts: configuration.timeouts,
            settings: settings
        )
    }

    nonisolated var mayAddCredentials: Bool { !pipeline.adders.isEmpty }

    nonisolated var mayAddUnnamedSecrets: Bool {
        pipeline.interceptors.contains { interceptor in
            let names: [String]?
            switch interceptor {
            case is any CredentialAdding: names = []
            case let headers as HeadersInterceptor: names = headers.fixedNames
            case let adder as any HeaderAdding: names = adder.addedHeaderNames.ordered()
            default: names = interceptor.isBuiltIn ? [] : nil
            }
            return names?.contains { redaction.isSensitive(header: $0) } ?? true
        }
    }

    nonisolated var transportIdentity: String? { pipeline.transportIdentity }

    nonisolated var identityNames: (settled: Set<ExactText>, all: Set<ExactText>)? {
        let positions = pipeline.adders.indices
        // With an interceptor of the user's own, the identity depends on the request. With more than five credentials,
        // there are too many combinations to try.
        guard !pipeline.hasCustomAdders, positions.count <= 5 else { return nil }
        let call = pipeline.identity(for: HTTPRequest(.get, RequestPath(raw: "/")), options: CallOptions())
        var (settled, provisional): (Set<ExactText>, Set<ExactText>) = ([], [])
        for combination in 1..<(1 << positions.count) {
            let adding = positions.filter { combination >> $0 & 1 == 1 }
            guard case .known(let known) = call.ofRequest(addingAt: adding) else { continue }
            settled.insert(ExactText(known.name))
            if let name = known.provisionalName { provisional.insert(ExactText(name)) }
        }
        return (settled, settled.union(provisional))
    }
}
