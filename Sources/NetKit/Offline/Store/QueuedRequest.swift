public import Foundation

/// A request that an `OfflineQueue` keeps until it is delivered, with the rules for its entry.
///
/// ```swift
/// QueuedRequest(.post("/orders", json: order), lane: "orders")
/// QueuedRequest(HTTPRequest(.put, "/notes/7", body: .data(note)), coalescingKey: "note-7", coalescing: .replace)
/// ```
/// Credentials are not kept: secret fields are removed when the request is enqueued, and the client adds its current
/// ones when the request is sent. The `Idempotency-Key` is generated when the request is enqueued, and stays the same
/// for every attempt.
public struct QueuedRequest: Sendable, Identifiable {
    /// The lane of requests that name none.
    public static let defaultLane = "default"

    /// The entry's identifier in the queue.
    public var id: UUID
    /// The HTTP method.
    public var method: HTTPMethod
    /// The target: a path below the client's base URL with its query, or an absolute URL.
    public var endpoint: String
    /// The header fields; secret ones are removed when the request is enqueued.
    public var headers: HTTPHeaders
    /// The body: bytes or a file.
    public var body: HTTPBody?
    /// Whether `AuthInterceptor` adds a credential when the request is sent.
    public var requiresAuth: Bool
    /// The key that lets the server recognize repetitions.
    ///
    /// If none is set, it is that of the field `Idempotency-Key` in `headers`. If there is no field either, a key is
    /// generated when the request is enqueued.
    public var idempotencyKey: String? {
        get { ownKey.flatMap { $0.isHTTPBlank ? nil : $0 } ?? headers.idempotencyKey }
        set { ownKey = newValue }
    }
    /// The earlier keys of a request that was changed to resolve a conflict, oldest first, at most the last 16.
    public internal(set) var previousIdempotencyKeys: [String] = []
    /// The time of the change; by default, the time of enqueueing.
    public var timestamp: Date { didSet { isStamped = true } }
    /// The number of failed attempts so far.
    public var retryCount: Int
    /// The number of conflicts so far.
    public var conflictCount: Int
    /// The lane: the requests of one lane are sent strictly one after the other, those of different lanes in parallel.
    ///
    /// Two Unicode forms of a name, such as an accented letter and a letter with an accent, name the same lane.
    public var lane: String
    /// The rank of the lane if not all can be served at once; a lane has the priority of its first entry.
    public var priority: Int
    /// The time after which no attempt begins.
    ///
    /// An attempt that has begun may wait in the client, such as for a permit, and send the request later.
    public var expiresAt: Date?
    /// The maximum number of attempts; `nil` leaves it to the queue's policy.
    public var maxAttempts: Int?
    /// The key of the resource that the request changes; `coalescing` applies to a waiting entry of the lane with the
    /// same key.
    public var coalescingKey: String?
    /// The rule for a new entry if one with the same key is already waiting.
    public var coalescing: CoalescingRule
    /// The `ETag` of the version that was changed, with its quotes.
    ///
    /// It is sent as `If-Match`, unless `headers` have that field. A server that follows RFC 9110 never matches a weak
    /// one, such as `W/"v1"`, so each attempt would be a conflict.
    public var baseETag: String?
    /// The version that was changed, for the resolution of a conflict.
    public var baseData: Data?
    /// Custom values that are kept with the request.
    public var tags: [String: String]
    /// Whether the body's file becomes the queue's own instead of being copied.
    public var takesFile: Bool
    /// The name of the identity under which the request is sent; never a credential.
    ///
    /// If it is `nil`, the queue asks its client when the request is enqueued. The client knows persistent names from
    /// the parameter `identity:` of ``TokenStore`` and ``AuthInterceptor``. An entry with a name is sent only while the
    /// client has that identity.
    public var identity: String?

    static let maxPreviousKeys = 16

    /// The key that takes precedence over the field.
    var ownKey: String?
    /// Whether the server may have received the key before the request was enqueued, from a call that was captured
    /// without a response.
    var mayHaveArrived = false
    /// Whether the caller stated the time of the change.
    var isStamped: Bool
    /// The reason why the target of a request is empty here, for the error that `enqueue` throws.
    var problem: NetKitError?

    /// Creates an entry from a request.
    ///
    /// - Parameters:
    ///   - request: The request. Its body is data or a file; a stream or a multipart form cannot be kept.
    ///   - id: The entry's identifier; `nil` generates one.
    ///   - lane: The lane in which order is kept.
    ///   - priority: The rank of the lane; higher is earlier.
    ///   - expiresAt: The time after which no attempt begins.
    ///   - maxAttempts: The maximum number of attempts; `nil` leaves it to the queue's policy.
    ///   - coalescingKey: The key of the resource that the request changes; `coalescing` applies to a waiting entry
    ///     with the same key.
    ///   - coalescing: The rule for the entry if one with the same key is already waiting.
    ///   - idempotencyKey: The idempotency key; `nil` uses the field of the request, or generates one when it is
    ///     enqueued.
    ///   - baseETag: The `ETag` of the version that was changed.
    ///   - baseData: The version that was changed, as data.
    ///   - timestamp: The time of the change; `nil` stands for the time of enqueueing.
    ///   - tags: Custom values that are kept with the request.
    ///   - takesFile: Whether the body's file becomes the queue's own instead of being copied.
    ///   - identity: The name of the identity under which it is sent; `nil` asks the queue's client when it is
    ///     enqueued.
    public init(
        _ request: HTTPRequest,
        id: UUID? = nil,
        lane: String = QueuedRequest.defaultLane,
        priority: Int = 0,
        expiresAt: Date? = nil,
        maxAttempts: Int? = nil,
        coalescingKey: String? = nil,
        coalescing: CoalescingRule = .replace,
        idempotencyKey: String? = nil,
        baseETag: String? = nil,
        baseData: Data? = nil,
        timestamp: Date? = nil,
        tags: [String: String] = [:],
        takesFile: Bool = false,
        identity: String? = nil
    ) {
        self.id = id ?? UUID(from: .system)
        method = request.method
        do throws(NetKitError) {
            endpoint = try request.targetText()
        } catch {
            endpoint = ""
            problem = error
        }
        headers = request.headers
        body = request.body
        requiresAuth = request.requiresAuth
        ownKey = idempotencyKey
        self.timestamp = timestamp ?? Date()
        isStamped = timestamp != nil
        retryCount = 0
        conflictCount = 0
        self.lane = lane
        self.priority = priority
        self.expiresAt = expiresAt
        self.maxAttempts = maxAttempts
        self.coalescingKey = coalescingKey
        self.coalescing = coalescing
        self.baseETag = baseETag
        self.baseData = baseData
        self.tags = tags
        self.takesFile = takesFile
        self.identity = identity
    }

    /// The request as it is sent: with its key, and with `If-Match` if `baseETag` is known.
    public var request: HTTPRequest {
        // Not as a URL, in which "//a" would be a host and "a:b" would have a scheme.
        var request = HTTPRequest(method, RequestPath(raw: endpoint), headers: sentHeaders, body: body)
        request.requiresAuth = requiresAuth
        return request
    }

    /// The header fields, including those that the queue adds.
    var sentHeaders: HTTPHeaders {
        var headers = headers
        if let idempotencyKey { headers["Idempotency-Key"] = idempotencyKey }
        headers.addBase(baseETag)
        return headers
    }
}

extension QueuedRequest {
    /// Returns the request with the bytes of its body in place of a file, which may be changed or removed later.
    package func holdingBytes() async throws -> QueuedRequest {
        guard let body, body.bytes == nil else { return self }
        var request = self
        request.body = .data(try await Self.bytes(of: body), contentType: body.contentType)
        return request
    }

    /// Reads a body without holding up the actor of the caller, because a disk can be slow.
    @concurrent
    private static func bytes(of body: HTTPBody) async throws -> Data { try await body.collected() }

    /// Removes the file of the body if it becomes the queue's own.
    package func removeTakenFile() {
        guard takesFile, let file = body?.fileRange else { return }
        try? file.fileSystem.remove(file.path)
    }
}

extension String {
    /// The name of a lane in composed form (NFC), in which all its Unicode forms have the same bytes.
    ///
    /// Stores compare lanes byte by byte, and the queue compares them as strings.
    var laneName: String { utf8.allSatisfy { $0 < 0x80 } ? self : precomposedStringWithCanonicalMapping }
}

extension HTTPHeaders {
    /// Adds the `ETag` of the version that was changed as `If-Match`, unless the fields have that condition already.
    mutating func addBase(_ etag: String?) {
        if let etag, !contains("If-Match") { self["If-Match"] = etag }
    }

    /// Throws `.invalidRequest` for a text that is not one `ETag` with its quotes, which `addBase` would add.
    ///
    /// No version of the server matches it, so a queue could drop the change as a conflict. A weak one is accepted,
    /// because some servers compare it as text.
    func validateBase(_ etag: String?) throws(NetKitError) {
        guard let etag, etag != "*", !contains("If-Match") else { return }
        let parts = etag.split(separator: "\"", omittingEmptySubsequences: false)
        if parts.count == 3, ["", "W/"].contains(parts[0]), parts[2].isEmpty { return }
        throw NetKitError(
            .invalidRequest,
            "`baseETag` is not one ETag in quotes: \(NetKitError.oneLine(etag, limit: 40)). Pass the ETag as the server sent it, such as "
                + "\"\\\"v1\\\"\", or set the header If-Match if the server's ETags have none."
        )
    }
}

extension UUID {
    /// Creates a random UUID; `UUID()` opens a file for its random bits.
    init(from random: RandomSource) {
        var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        let (first, second) = random.pair()
        withUnsafeMutableBytes(of: &uuid) { bytes in
            bytes.storeBytes(of: first, toByteOffset: 0, as: UInt64.self)
            bytes.storeBytes(of: second, toByteOffset: 8, as: UInt64.self)
            bytes[6] = bytes[6] & 0x0F | 0x40
            bytes[8] = bytes[8] & 0x3F | 0x80
        }
        self.init(uuid: uuid)
    }
}

extension QueuedRequest: CustomStringConvertible, CustomReflectable {
    /// The method, the target with secrets masked, the lane and the identifier.
    public var description: String {
        let target = Redaction.standard.redacted(urlText: endpoint)
        return NetKitError.oneLine("\(method) \(target) (lane \(lane), \(id))", limit: 400)
    }

    /// A mirror without the target, for `dump` and test reports.
    public var customMirror: Mirror { Mirror(self, children: ["headers": headers, "body": body as Any]) }
}

/// The rule for a new entry if one of the same lane and coalescing key is already waiting.
///
/// An entry that is being sent is no longer waiting. A new entry is then added after it.
public struct CoalescingRule: Sendable, Hashable, CustomStringConvertible {
    /// The rule's name, as it is kept on disk.
    public let description: String

    /// The waiting entry stays, and the new one is not added.
    public static let keep = CoalescingRule(description: "keep")
    /// The new entry is added at the end, and the waiting one leaves with the same write.
    public static let replace = CoalescingRule(description: "replace")
    /// The new entry is added at the end, and the waiting one stays.
    public static let append = CoalescingRule(description: "append")

    /// Creates the rule of a name; an unknown name becomes `.append`, which loses nothing.
    package init(named name: String) {
        self = [.keep, .replace].first { $0.description == name } ?? .append
    }

    private init(description: String) { self.description = description }
}
