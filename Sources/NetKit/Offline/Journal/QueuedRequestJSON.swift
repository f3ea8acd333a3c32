import Foundation

/// The JSON form of a queued request, which the journal and `Codable` write.
enum QueuedRequestJSON {
    /// Returns the request as JSON; files are named and not read.
    static func bytes(of request: QueuedRequest, files: EntryFiles = EntryFiles()) -> [UInt8] {
        var text = JSONText(capacity: capacity(request))
        write(request, files: files, to: &text)
        return text.bytes
    }

    /// Returns the approximate length of a request as JSON.
    static func capacity(_ request: QueuedRequest) -> Int { 512 + (request.body?.bytes?.count ?? 0) * 5 / 4 }

    /// Writes the request as an object of its own, or as the value of a key.
    static func write(
        _ request: QueuedRequest,
        files: EntryFiles = EntryFiles(),
        hasBody: Bool = true,
        as key: StaticString? = nil,
        to text: inout JSONText
    ) {
        text.begin(key)
        text.add("v", Int64(QueuedRequest.formatVersion))
        text.add("id", request.id)
        text.add("method", request.method.rawValue)
        text.add("url", request.endpoint)
        if !request.headers.isEmpty { text.add("headers", pairs: request.headers.fields.map { ($0.name, $0.value) }) }
        text.add("contentType", request.body?.contentType)
        if let file = files.body {
            add(file, "bodyFile", "bodyLength", "bodySum", to: &text)
        } else if hasBody, let bytes = request.body?.bytes {
            text.add(text: "body", orBytes: "body64", bytes)
        }
        text.add("requiresAuth", request.requiresAuth)
        text.add("idempotencyKey", request.idempotencyKey)
        if !request.previousIdempotencyKeys.isEmpty {
            text.add("previousIdempotencyKeys", texts: request.previousIdempotencyKeys)
        }
        if request.mayHaveArrived { text.add("mayHaveArrived", true) }
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
        if let file = files.base {
            add(file, "baseFile", "baseLength", "baseSum", to: &text)
        } else if let baseData = request.baseData {
            text.add(text: "base", orBytes: "base64", baseData)
        }
        if !request.tags.isEmpty { text.add("tags", object: request.tags.orderedByKey) }
        text.add("identity", request.identity)
        text.end()
    }

    /// Adds the files of a request.
    static func add(_ files: EntryFiles, to text: inout JSONText) {
        if let file = files.body { add(file, "bodyFile", "bodyLength", "bodySum", to: &text) }
        if let file = files.base { add(file, "baseFile", "baseLength", "baseSum", to: &text) }
    }

    private static func add(
        _ file: EntryFile,
        _ name: StaticString,
        _ length: StaticString,
        _ sum: StaticString,
        to text: inout JSONText
    ) {
        text.add(name, file.name)
        text.add(length, file.length)
        text.add(sum, file.checksum.map { Int64($0) })
    }

    /// Adds the file of an entry's details.
    ///
    /// The empty detail before it tells earlier versions of the library, which do not know the file, that the entry is
    /// settled.
    static func add(detail file: EntryFile, to text: inout JSONText) {
        text.add("detail", json: "null".utf8)
        add(file, "detailFile", "detailLength", "detailSum", to: &text)
    }
}
