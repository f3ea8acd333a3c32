/// The properties of a request that matter to a cache.
struct CacheRequest: Sendable {
    let method: HTTPMethod
    let headers: HTTPHeaders
    var control = CacheControl()
    /// `Pragma: no-cache`, which counts if there is no `Cache-Control` (RFC 9111, section 5.4).
    var pragmaNoCache = false
    /// The caller's own conditions, which a cache evaluates too.
    var ifNoneMatch: String?
    var ifModifiedSince: String?
    /// A condition that only the server can judge.
    var hasServerCondition = false
    var range: String?
    var ifRange: String?
    /// The host that the caller names instead of the URL's.
    var host: String?

    init(method: HTTPMethod, headers: HTTPHeaders) {
        self.method = method
        self.headers = headers
        var hasControl = false
        for field in headers {
            switch field.name.utf8.count {
            case 4 where HTTPHeaders.isEqual(field.name, "Host"): host = field.value
            case 5 where HTTPHeaders.isEqual(field.name, "Range"): range = field.value
            case 6 where HTTPHeaders.isEqual(field.name, "Pragma"):
                pragmaNoCache = pragmaNoCache || field.value.lowercased().contains("no-cache")
            case 8:
                if HTTPHeaders.isEqual(field.name, "If-Match") { hasServerCondition = true }
                if HTTPHeaders.isEqual(field.name, "If-Range") { ifRange = field.value }
            case 13:
                if HTTPHeaders.isEqual(field.name, "Cache-Control") { hasControl = true }
                if HTTPHeaders.isEqual(field.name, "If-None-Match") {
                    // Appended in place, because each of many fields would copy all before it.
                    if ifNoneMatch != nil { ifNoneMatch?.append(", ") } else { ifNoneMatch = "" }
                    ifNoneMatch?.append(field.value)
                }
            case 17 where HTTPHeaders.isEqual(field.name, "If-Modified-Since"): ifModifiedSince = field.value
            case 19 where HTTPHeaders.isEqual(field.name, "If-Unmodified-Since"): hasServerCondition = true
            default: break
            }
        }
        if hasControl { control = CacheControl(headers) }
    }

    init(_ request: HTTPRequest) { self.init(method: request.method, headers: request.headers) }

    /// Whether the method of the request only reads, so that its response can be stored.
    var isRead: Bool { method == .get || method == .head }

    /// Whether the caller wants the server to confirm a stored response.
    var wantsConfirmation: Bool { control.noCache || (pragmaNoCache && !control.isPresent) }

    /// Whether the caller has conditions of its own.
    var hasCondition: Bool { ifNoneMatch != nil || ifModifiedSince != nil || hasServerCondition }
}
