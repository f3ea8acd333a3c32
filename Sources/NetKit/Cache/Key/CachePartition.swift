/// Whose an answer is: answers of different partitions never meet.
struct CachePartition: Sendable {
    /// Why there is no partition that could be found again.
    enum Problem: String, Error {
        case oneCall = "nobody knows whose the credential will be"
        case tags = "tags without a principal"
    }

    private var parts: [String]

    /// The partition of a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: What it belongs to.
    ///   - principal: Who it is made for, as far as that can be told.
    ///   - identity: Who the transport is to servers, where it is somebody.
    ///   - scope: The caller's own word.
    /// - Throws: Why an answer could not be given to anyone else.
    init(
        _ request: HTTPRequest,
        context: RequestContext,
        principal: Principal?,
        identity: String?,
        scope: String?
    ) throws(Problem) {
        if let principal, principal == .ofOneCall(context.id) { throw .oneCall }
        let redaction = context.call.redaction
        parts = [
            scope ?? "", principal.map { "p" + $0.identity } ?? "", identity ?? "", request.requiresAuth ? "a" : "-",
        ]
        let plain = parts.count
        // What is secret is a credential, and separates.
        for field in request.headers where redaction.isSensitive(header: field.name) {
            parts.append(field.name.lowercased())
            parts.append(field.value)
        }
        // Nobody can tell what an interceptor further on adds because of a tag.
        if !context.tags.isEmpty, principal == nil, scope == nil, parts.count == plain { throw .tags }
    }

    /// The key of a URL in this partition.
    func key(of url: String, secret: CacheHashKey) -> CacheKey {
        CacheKey(["GET", url] + parts, secret: secret)
    }
}
