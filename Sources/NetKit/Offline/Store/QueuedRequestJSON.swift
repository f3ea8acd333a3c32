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
        text.add("idempotencyKey", request.ownKey)
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

extension QueuedRequest {
    /// Reads the stored form without a decoder.
    ///
    /// The result is that of `Codable`, which a test compares. It is `nil` for anything that NetKit itself does not
    /// write, such as an unknown field or a wrong type: only the decoder can tell what that means, and its error names
    /// it. No field of the object is repeated, and `parts` are kept outside it.
    init?(_ fields: inout JSONFields, _ parts: SeparateParts?) {
        var fixed = FixedFields()
        self = Self.blank
        guard fields.begin() else { return nil }
        while let key = fields.nextKey() {
            guard fixed.read(key, &fields) ?? readOptional(key, &fields) else { return nil }
        }
        guard fields.end(), fixed.version ?? (parts == nil ? 0 : 1) == 1,
            let id = parts?.id ?? fixed.id, let method = fixed.method, let endpoint = fixed.endpoint,
            let timestamp = fixed.timestamp ?? parts?.timestamp
        else { return nil }
        (self.id, self.endpoint, self.timestamp) = (id, endpoint, timestamp)
        self.method = HTTPMethod(method)
        body = (parts?.body ?? fixed.body).map { .data($0, contentType: fixed.contentType) }
    }

    /// Reads a request that fills its bytes; `nil` if only the decoder can tell what they mean.
    init?(json: UnsafeRawBufferPointer, _ parts: SeparateParts?) {
        var fields = JSONFields(json)
        self.init(&fields, parts)
        guard fields.isAtEnd() else { return nil }
    }

    /// A request with the values of fields that are missing.
    private static let blank = QueuedRequest(
        HTTPRequest(.get, "/"),
        id: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
        coalescing: .append,
        timestamp: .distantPast
    )

    /// The fields that a request cannot do without, and those that make its body.
    private struct FixedFields: ~Copyable {
        var version: Int64?
        var id: UUID?
        var method: String?
        var endpoint: String?
        var timestamp: Date?
        var contentType: String?
        var body: Data?

        /// Reads a field; `nil` if it is another one, and `false` if it has another form.
        mutating func read(_ key: JSONFields.Key, _ fields: inout JSONFields) -> Bool? {
            switch key {
            case "v": set(&version, fields.integer())
            case "id": set(&id, fields.uuid())
            case "method": set(&method, fields.string())
            case "url": set(&endpoint, fields.string())
            case "timestamp": set(&timestamp, fields.date())
            case "contentType": set(&contentType, fields.string())
            case "body": set(&body, fields.text())
            case "body64": body == nil && set(&body, fields.base64())
            default: nil
            }
        }
    }

    /// Reads a field that has a default; `false` if there is no such field, or if it has another form.
    private mutating func readOptional(_ key: JSONFields.Key, _ fields: inout JSONFields) -> Bool {
        switch key {
        case "headers": return set(&headers, fields.headers())
        case "requiresAuth": return set(&requiresAuth, fields.bool())
        case "idempotencyKey": return set(&idempotencyKey, fields.string())
        case "previousIdempotencyKeys": return set(&previousIdempotencyKeys, fields.array { $0.string() })
        case "mayHaveArrived": return set(&mayHaveArrived, fields.bool())
        case "retryCount": return set(&retryCount, fields.number())
        case "conflictCount": return set(&conflictCount, fields.number())
        case "lane": return set(&lane, fields.string())
        case "priority": return set(&priority, fields.number())
        case "expiresAt": return set(&expiresAt, fields.date())
        case "maxAttempts": return set(&maxAttempts, fields.number())
        case "coalescingKey": return set(&coalescingKey, fields.string())
        case "coalescing": return set(&coalescing, fields.string().map { CoalescingRule(named: $0) })
        case "baseETag": return set(&baseETag, fields.string())
        case "base": return set(&baseData, fields.text())
        case "base64": return baseData == nil && set(&baseData, fields.base64())
        case "tags": return set(&tags, fields.texts())
        case "identity": return set(&identity, fields.string())
        default: return false
        }
    }
}

/// Sets a value that was read; returns `false` if it could not be read.
private func set<Value>(_ value: inout Value, _ read: Value?) -> Bool {
    guard let read else { return false }
    value = read
    return true
}

private func set<Value>(_ value: inout Value?, _ read: Value?) -> Bool {
    value = read
    return read != nil
}

extension JSONFields {
    fileprivate mutating func number() -> Int? { integer().flatMap { Int(exactly: $0) } }

    fileprivate mutating func date() -> Date? { integer().map { Date(milliseconds: $0) } }

    fileprivate mutating func text() -> Data? { string().map { Data($0.utf8) } }

    fileprivate mutating func base64() -> Data? { string().flatMap { Data(base64Encoded: $0) } }

    fileprivate mutating func headers() -> HTTPHeaders? {
        array { $0.array { $0.string() } }.map { HTTPHeaders(pairs: $0) }
    }
}
