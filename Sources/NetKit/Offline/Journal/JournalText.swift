import Foundation

/// The request of an entry as it stands in the journal: what `Codable` makes of it, made by hand.
enum JournalText {
    /// The request as JSON; a body in a file is named and not read.
    static func request(_ request: QueuedRequest, file: String?) -> [UInt8] {
        var text = JSONText(capacity: capacity(request))
        write(request, file: file, to: &text)
        return text.bytes
    }

    /// About how long a request gets.
    static func capacity(_ request: QueuedRequest) -> Int { 512 + (request.body?.bytes?.count ?? 0) * 5 / 4 }

    /// Writes the request as an object of its own, or as the value of a key.
    static func write(_ request: QueuedRequest, file: String?, as key: StaticString? = nil, to text: inout JSONText) {
        text.begin(key)
        text.add("v", Int64(QueuedRequest.formatVersion))
        text.add("id", request.id)
        text.add("method", request.method.rawValue)
        text.add("url", request.endpoint)
        if !request.headers.isEmpty { text.add("headers", pairs: request.headers.fields.map { ($0.name, $0.value) }) }
        text.add("contentType", request.body?.contentType)
        if let file {
            text.add("bodyFile", file)
        } else if let bytes = request.body?.bytes {
            text.add(text: "body", orBytes: "body64", bytes)
        }
        text.add("requiresAuth", request.requiresAuth)
        text.add("idempotencyKey", request.idempotencyKey)
        text.add("timestamp", request.timestamp.milliseconds)
        text.add("retryCount", Int64(request.retryCount))
        text.add("conflictCount", Int64(request.conflictCount))
        text.add("lane", request.lane)
        text.add("priority", Int64(request.priority))
        text.add("expiresAt", request.expiresAt?.milliseconds)
        text.add("maxAttempts", request.maxAttempts.map { Int64($0) })
        text.add("coalescingKey", request.coalescingKey)
        if request.coalescingKey != nil { text.add("coalescing", request.coalescing.description) }
        text.add("baseETag", request.baseETag)
        if let baseData = request.baseData { text.add(text: "base", orBytes: "base64", baseData) }
        if !request.tags.isEmpty { text.add("tags", object: request.tags.orderedByKey) }
        text.add("identity", request.identity)
        text.end()
    }
}
