extension QueuedRequest {
    /// Returns the request as it is kept: checked, with an encoded body and a key, and without values that are secret
    /// according to any of the redactions.
    package func prepared(
        redactions: [Redaction],
        random: RandomSource,
        clock: NetKitClock,
        preparingBody prepare: (HTTPBody) throws -> HTTPBody = { try $0.prepared() }
    ) throws -> QueuedRequest {
        var request = try withoutSecrets(of: redactions)
        try request.headers.validateBase(request.baseETag)
        // The field, from which the key may come, was removed.
        request.idempotencyKey = idempotencyKey
        request.body = try request.body.map(prepare)
        guard request.body?.isKeepable != false else { throw QueuedRequest.notKeepable }
        try RequestValidation.validate(request.method, request.sentHeaders, request.body)
        request.lane = request.lane.laneName
        if request.idempotencyKey == nil { request.idempotencyKey = random.uuidText() }
        if !request.isStamped { request.timestamp = clock.date }
        return request
    }

    /// Returns the request without the secrets in its header fields; one in a URL is an error.
    private func withoutSecrets(of redactions: [Redaction]) throws -> QueuedRequest {
        // The target may have been set after the request was created.
        if endpoint.isEmpty, let problem { throw problem }
        var request = self
        request.endpoint = try HTTPRequest(method, RequestPath(raw: endpoint)).targetText()
        if let fragment = request.endpoint.utf8.firstIndex(of: UInt8(ascii: "#")) {
            request.endpoint = String(request.endpoint[..<fragment])
        }
        // A secret can only be before an `@` or in the query.
        let mayHaveSecret = request.endpoint.utf8.contains { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "?") }
        let endpoint = request.endpoint
        guard !mayHaveSecret || redactions.allSatisfy({ $0.redacted(urlText: endpoint) == endpoint }) else {
            throw NetKitError(
                .invalidRequest,
                "The URL contains a secret, and secrets are not stored. Have the client add it when the request is sent, or "
                    + "list its name as public in `configuration.redaction` of the queue and of its client."
            )
        }
        if !request.headers.isEmpty {
            request.headers = request.headers.withoutSecrets(of: redactions)
            let exposed = request.headers.fields.first { field in redactions.contains { $0.hasSecretURL(field) } }
            if let field = exposed {
                throw NetKitError(
                    .invalidRequest,
                    "The URL in \(field.name) contains a secret, and secrets are not stored. Have the client add the field when "
                        + "the request is sent, or list its name as public in `configuration.redaction` of the queue and "
                        + "of its client."
                )
            }
            for name in ["Idempotency-Key", "Content-Length"] { request.headers.remove(name) }
        }
        return request
    }
}

extension HTTPBody {
    /// Whether a queue can keep the body: it is bytes, a file, or made when it is prepared.
    var isKeepable: Bool {
        switch storage {
        case .bytes, .deferred, .file: true
        case .stream, .joined: false
        }
    }
}
