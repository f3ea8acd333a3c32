import Foundation

/// The stored form: one JSON object with a version, which `QueuedRequestJSON` writes.
extension QueuedRequest: Codable {
    /// The version of the form that this version of NetKit writes.
    public static let formatVersion = 1

    enum CodingKeys: String, CodingKey {
        case version = "v"
        case id, method
        case endpoint = "url"
        case headers
        case text = "body"
        case bytes = "body64"
        case file = "bodyFile"
        case contentType, requiresAuth, idempotencyKey, previousIdempotencyKeys, mayHaveArrived, timestamp
        case retryCount, conflictCount, lane, priority, expiresAt
        case maxAttempts, coalescingKey, coalescing, baseETag
        case baseText = "base"
        case baseBytes = "base64"
        case tags, identity, takesFile
    }

    /// Version 0 had the target under `path`, and the header fields as an object.
    private enum OldKeys: String, CodingKey {
        case path
    }

    /// Reads an entry of this version or an older one; a newer version is an error.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let parts = Self.separateParts(decoder)
        let version = try Self.version(in: values, parts)
        id = try parts?.id ?? values.decode(UUID.self, forKey: .id)
        method = HTTPMethod(try values.decode(String.self, forKey: .method))
        if version == 0 {
            let old = try decoder.container(keyedBy: OldKeys.self)
            endpoint = try old.decode(String.self, forKey: .path)
            headers = HTTPHeaders(try values.decodeIfPresent([String: String].self, forKey: .headers) ?? [:])
        } else {
            endpoint = try values.decode(String.self, forKey: .endpoint)
            headers = try Self.headers(in: values, mayBeObject: parts != nil)
        }
        body = try Self.body(in: values, parts)
        requiresAuth = try values.decodeIfPresent(Bool.self, forKey: .requiresAuth) ?? true
        ownKey = try values.decodeIfPresent(String.self, forKey: .idempotencyKey)
        previousIdempotencyKeys = try values.decodeIfPresent([String].self, forKey: .previousIdempotencyKeys) ?? []
        mayHaveArrived = try values.decodeIfPresent(Bool.self, forKey: .mayHaveArrived) ?? false
        if let parts, !values.contains(.timestamp) {
            timestamp = parts.timestamp
        } else {
            timestamp = Date(milliseconds: try values.decode(Int64.self, forKey: .timestamp))
        }
        retryCount = try values.decodeIfPresent(Int.self, forKey: .retryCount) ?? 0
        conflictCount = try values.decodeIfPresent(Int.self, forKey: .conflictCount) ?? 0
        lane = try values.decodeIfPresent(String.self, forKey: .lane) ?? Self.defaultLane
        priority = try values.decodeIfPresent(Int.self, forKey: .priority) ?? 0
        expiresAt = try values.decodeIfPresent(Int64.self, forKey: .expiresAt).map { Date(milliseconds: $0) }
        maxAttempts = try values.decodeIfPresent(Int.self, forKey: .maxAttempts)
        coalescingKey = try values.decodeIfPresent(String.self, forKey: .coalescingKey)
        coalescing = CoalescingRule(named: try values.decodeIfPresent(String.self, forKey: .coalescing) ?? "")
        baseETag = try values.decodeIfPresent(String.self, forKey: .baseETag)
        baseData = try Self.data(in: values, .baseText, .baseBytes)
        tags = try values.decodeIfPresent([String: String].self, forKey: .tags) ?? [:]
        identity = try values.decodeIfPresent(String.self, forKey: .identity)
        takesFile = try values.decodeIfPresent(Bool.self, forKey: .takesFile) ?? false
        isStamped = true
    }

    /// Writes the entry, with its body encoded now if it has not been encoded yet.
    public func encode(to encoder: any Encoder) throws {
        var request = self
        request.body = try body?.prepared()
        let file = request.body?.fileRange.map { EntryFile(name: $0.path, length: nil, checksum: nil) }
        if let body = request.body, body.bytes == nil, file == nil { throw Self.notKeepable }
        let json = Data(QueuedRequestJSON.bytes(of: request, files: EntryFiles(body: file)))
        var members = try JSONDecoder().decode([String: JSONValue].self, from: json)
        // Not in the form of a store, whose files are its own.
        if takesFile { members[CodingKeys.takesFile.rawValue] = true }
        // As a value of its own, a dictionary keeps its names under every strategy of the encoder.
        try JSONValue.object(members).encode(to: encoder)
    }

    static let notKeepable = NetKitError(
        .invalidRequest,
        "A body that is a stream or a multipart form cannot be kept. Give bytes or a file, which can be sent again."
    )

    private static func version(
        in values: KeyedDecodingContainer<CodingKeys>,
        _ parts: SeparateParts?
    ) throws -> Int {
        let version = try values.decodeIfPresent(Int.self, forKey: .version) ?? (parts == nil ? 0 : formatVersion)
        guard version <= formatVersion else {
            // It is not damaged, so it waits for a process that can read it.
            let message = "The entry has version \(version); this NetKit reads up to \(formatVersion)."
            throw NetKitError(.decoding, message)
        }
        return version
    }

    private static func headers(
        in values: KeyedDecodingContainer<CodingKeys>,
        mayBeObject: Bool
    ) throws -> HTTPHeaders {
        let fields: [[String]]
        do {
            fields = try values.decodeIfPresent([[String]].self, forKey: .headers) ?? []
        } catch {
            // NetKit itself writes no object, so it is tried only after the list.
            guard mayBeObject, case DecodingError.typeMismatch(_, let context) = error,
                context.codingPath.last?.stringValue == CodingKeys.headers.stringValue
            else { throw error }
            return HTTPHeaders(try values.decode([String: String].self, forKey: .headers))
        }
        return HTTPHeaders(pairs: fields)
    }

    private static func body(
        in values: KeyedDecodingContainer<CodingKeys>,
        _ parts: SeparateParts?
    ) throws -> HTTPBody? {
        let contentType = try values.decodeIfPresent(String.self, forKey: .contentType)
        let bytes = try parts?.body ?? data(in: values, .text, .bytes)
        guard let file = try values.decodeIfPresent(String.self, forKey: .file) else {
            return bytes.map { .data($0, contentType: contentType) }
        }
        // A role that may only add entries to a database must not have a file of this machine sent.
        guard parts == nil else {
            let message = "Only a queue in a folder keeps a body in a file. Give the bytes of the body."
            throw DecodingError.dataCorruptedError(forKey: .file, in: values, debugDescription: message)
        }
        return .file(at: URL(fileURLWithPath: file), contentType: contentType)
    }

    private static func data(
        in values: KeyedDecodingContainer<CodingKeys>,
        _ text: CodingKeys,
        _ bytes: CodingKeys
    ) throws -> Data? {
        if let text = try values.decodeIfPresent(String.self, forKey: text) { return Data(text.utf8) }
        return try values.decodeIfPresent(Base64Bytes.self, forKey: bytes)?.data
    }
}

extension Date {
    /// The number of milliseconds since 1970, as times are kept on disk.
    var milliseconds: Int64 { Int64(clampingSeconds: timeIntervalSince1970) }

    init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }
}

extension Int64 {
    /// Creates the milliseconds of a number of seconds, limited to about 7,900 years before or after 1970; NaN becomes
    /// 0.
    fileprivate init(clampingSeconds seconds: Double) {
        let milliseconds = (seconds * 1000).rounded()
        guard !milliseconds.isNaN else {
            self = 0
            return
        }
        self = Int64(exactly: Swift.max(-2.5e14, Swift.min(2.5e14, milliseconds))) ?? 0
    }
}

/// The stored form for stores that keep some parts of a request outside its JSON.
extension QueuedRequest {
    /// The parts of a request that a store keeps beside its JSON.
    package struct SeparateParts: Sendable {
        /// The entry's identifier, which replaces that of the JSON.
        package var id: UUID
        /// The time of the change, if the JSON has none.
        package var timestamp: Date
        /// The body, if it is not in the JSON.
        package var body: Data?

        package init(id: UUID, timestamp: Date, body: Data?) {
            (self.id, self.timestamp, self.body) = (id, timestamp, body)
        }
    }

    /// The key under which a decoder has the separate parts.
    static let separatePartsKey = CodingUserInfoKey(rawValue: "NetKit.separateParts")

    /// Returns the separate parts that a decoder was given.
    static func separateParts(_ decoder: any Decoder) -> SeparateParts? {
        separatePartsKey.flatMap { decoder.userInfo[$0] } as? SeparateParts
    }

    /// Reads a request from its JSON, which a person may have written.
    ///
    /// The version, the name and the time may be missing, and header fields may be an object.
    package init(json: Data, _ parts: SeparateParts) throws {
        if let request = json.withUnsafeBytes({ QueuedRequest(json: $0, parts) }) {
            self = request
            return
        }
        let decoder = JSONDecoder()
        if let key = Self.separatePartsKey { decoder.userInfo[key] = parts }
        self = try decoder.decode(QueuedRequest.self, from: json)
    }

    /// The request as JSON without its body.
    package var jsonWithoutBody: Data {
        var text = JSONText(capacity: 512)
        QueuedRequestJSON.write(self, hasBody: false, to: &text)
        return Data(text.bytes)
    }

    /// Returns whether another request, which has a body of some bytes, is the same.
    ///
    /// The keys and whether they may have arrived, the times of the changes and of the expiry, and the numbers of
    /// retries and conflicts may differ.
    package func isSame(as other: QueuedRequest, body: Data?) -> Bool {
        func rest(_ request: QueuedRequest) -> Data {
            var request = request
            (request.idempotencyKey, request.mayHaveArrived) = (nil, false)
            request.timestamp = Date(timeIntervalSince1970: 0)
            (request.retryCount, request.conflictCount, request.expiresAt) = (0, 0, nil)
            return request.jsonWithoutBody
        }
        return self.body?.bytes == body && rest(self) == rest(other)
    }
}
