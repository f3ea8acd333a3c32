import Foundation

extension QueuedRequest {
    /// Returns the request as it is kept: checked, with an encoded body and a key, and without secrets.
    package func settled(
        redaction: Redaction,
        random: RandomSource,
        clock: NetKitClock,
        preparing prepare: (HTTPBody) throws -> HTTPBody = { try $0.prepared() }
    ) throws -> QueuedRequest {
        if let problem { throw problem }
        var request = self
        if let fragment = request.endpoint.utf8.firstIndex(of: UInt8(ascii: "#")) {
            request.endpoint = String(request.endpoint[..<fragment])
        }
        // A secret can only be before an `@` or in the query.
        let mayHaveSecret = request.endpoint.utf8.contains { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "?") }
        guard !mayHaveSecret || redaction.redacted(urlText: request.endpoint) == request.endpoint else {
            throw NetKitError(
                .invalidRequest,
                "The URL contains a secret, and secrets are not stored. Have the client add it when the request is sent, or "
                    + "list its name as public in `configuration.redaction`."
            )
        }
        if !request.headers.isEmpty {
            request.headers = HTTPHeaders(request.headers.fields.filter { !redaction.isSensitive(header: $0.name) })
            if let field = request.headers.fields.first(where: { redaction.hasSecretURL($0) }) {
                throw NetKitError(
                    .invalidRequest,
                    "The URL in \(field.name) contains a secret, and secrets are not stored. Have the client add the field when "
                        + "the request is sent, or list its name as public in `configuration.redaction`."
                )
            }
            for name in ["Idempotency-Key", "Content-Length"] { request.headers.remove(name) }
        }
        request.body = try request.body.map(prepare)
        if let body = request.body, body.bytes == nil, body.fileRange == nil { throw QueuedRequest.notKeepable }
        try RequestValidation.validate(request.method, request.sentHeaders, request.body)
        request.idempotencyKey = request.idempotencyKey ?? random.uuidText()
        if !request.isStamped { request.timestamp = clock.date }
        return request
    }
}
