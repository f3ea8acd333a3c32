import Foundation

/// The owner of a response: responses of different partitions are never mixed.
struct CachePartition: Sendable {
    /// The reason why a request has no partition that later requests could use.
    enum Problem: String, Error {
        case unknownOwner = "the owner of the credential is unknown"
        case tagsWithoutPrincipal = "tags without a principal"
    }

    /// The parts of a partition, each with its bit in the keys of entries.
    private enum Part: UInt8 {
        case requiresAuth = 1
        case scope = 2
        case principal = 4
        case transportIdentity = 8
    }

    /// The bits of the parts that are present.
    private var marks: UInt8 = 0
    /// The bytes that identify the owner; empty if there is none.
    private var bytes: [UInt8] = []

    /// The partition of a response that is never stored.
    static let none = CachePartition()

    private init() {}

    /// Creates the partition of a request, or throws the reason why another call could not use the response.
    ///
    /// It depends on the principal on whose behalf the request is sent, the identity that the transport presents to
    /// servers, and the scope that the caller names, if there are any.
    init(
        _ request: HTTPRequest,
        context: RequestContext,
        principal: Principal?,
        identity: String?,
        scope: String?
    ) throws(Problem) {
        if let principal, principal == .ofOneCall(context.id) { throw .unknownOwner }
        let settings = context.call.settings
        if request.requiresAuth { marks = Part.requiresAuth.rawValue }
        add(scope, as: .scope)
        add(principal?.identity, as: .principal)
        add(identity, as: .transportIdentity)
        var isCredential = false
        // A sensitive field counts as a credential, and separates partitions.
        for field in request.headers where settings.redaction.isSensitive(header: field.name) {
            isCredential = true
            CacheKey.add(field.name.lowercased().utf8, to: &bytes)
            CacheKey.add(field.value.utf8, to: &bytes)
        }
        // A later interceptor may add unknown fields because of a tag.
        if context.tags.hasForeignValues, principal == nil, scope == nil, !isCredential { throw .tagsWithoutPrincipal }
    }

    private mutating func add(_ text: String?, as part: Part) {
        guard let text else { return }
        marks |= part.rawValue
        CacheKey.add(text.utf8, to: &bytes)
    }

    /// Whether the partition has a named principal.
    var hasPrincipal: Bool { marks & Part.principal.rawValue != 0 }

    /// Returns the key of a URL in this partition.
    func key(of url: URL, host: String? = nil, secret: CacheHashKey) -> CacheKey {
        var buffer = NormalizedURL.bytes(of: url, host: host)
        let (first, second) = buffer.withUnsafeBytes { SipHash.hash($0, key: secret) }
        // The memory of the URL is used again: it has nearly always room for the rest.
        buffer.removeAll(keepingCapacity: true)
        withUnsafeBytes(of: first.littleEndian) { buffer.append(contentsOf: $0) }
        withUnsafeBytes(of: second.littleEndian) { buffer.append(contentsOf: $0) }
        buffer.append(contentsOf: bytes)
        buffer.append(marks)
        return CacheKey(of: CacheResource(addressHash: first), hashing: buffer, secret: secret)
    }
}

extension CacheResource {
    /// Creates the resource of a URL, with which its keys in every partition begin.
    init(of url: URL, host: String? = nil, secret: CacheHashKey) {
        let hash = NormalizedURL.bytes(of: url, host: host).withUnsafeBytes { SipHash.hash($0, key: secret) }
        self.init(addressHash: hash.0)
    }

    fileprivate init(addressHash: UInt64) {
        self.init(number: UInt32(truncatingIfNeeded: addressHash))
    }
}
