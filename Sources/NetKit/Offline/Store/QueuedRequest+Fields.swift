import Foundation

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
    private struct FixedFields {
        var version: Int64?
        var id: UUID?
        var method: String?
        var endpoint: String?
        var timestamp: Date?
        var contentType: String?
        var body: Data?

        /// Reads a field; `nil` if it is another one, and `false` if it has another form.
        mutating func read(_ key: String, _ fields: inout JSONFields) -> Bool? {
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
    private mutating func readOptional(_ key: String, _ fields: inout JSONFields) -> Bool {
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
