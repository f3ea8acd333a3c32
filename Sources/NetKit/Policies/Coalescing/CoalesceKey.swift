/// The properties that two calls must have in common to share one exchange.
struct CoalesceKey: Hashable, Sendable {
    private let method: HTTPMethod
    private let url: String
    private let headers: HTTPHeaders
    private let principal: Principal?
    private let requiresAuth: Bool
    private let maxBufferedBytes: Int
    private let timeouts: Timeouts
    private let priority: TaskPriority

    /// The key of a call, or nil where it may not share.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - call: The call it belongs to.
    ///   - principal: Who it is made for, as far as that can be told.
    ///   - ignored: The names of header fields that may differ, in lower case.
    init?(_ request: HTTPRequest, call: Call, principal: Principal?, ignoring ignored: Set<String>) {
        // A streamed body has one reader; only what is in memory can be handed out twice.
        guard let maxBufferedBytes = call.delivery.maxBufferedBytes else { return nil }
        guard request.method == .get || request.method == .head, request.body == nil else { return nil }
        // Tags may decide what an interceptor further on adds, and nobody can tell whether two sets are the same.
        guard call.tags.isEmpty || principal != nil else { return nil }
        // Whoever asks for a fresh answer must not get one that was begun before.
        guard !Self.wantsOwnAnswer(request.headers) else { return nil }
        method = request.method
        url = request.url.absoluteString
        headers = Self.headers(of: request, ignoring: ignored)
        self.principal = principal
        requiresAuth = request.requiresAuth
        self.maxBufferedBytes = maxBufferedBytes
        timeouts = call.timeouts
        priority = call.priority
    }

    /// The URL and the principal tell nearly all keys apart.
    func hash(into hasher: inout Hasher) {
        hasher.combine(url)
        hasher.combine(principal)
    }

    private static func wantsOwnAnswer(_ headers: HTTPHeaders) -> Bool {
        guard let value = headers["Cache-Control"]?.lowercased() else { return false }
        return value.contains("no-cache") || value.contains("no-store")
    }

    private static func headers(of request: HTTPRequest, ignoring ignored: Set<String>) -> HTTPHeaders {
        guard request.headers.contains(where: { ignored.contains($0.name.lowercased()) }) else {
            return request.headers
        }
        return HTTPHeaders(request.headers.fields.filter { !ignored.contains($0.name.lowercased()) })
    }
}
