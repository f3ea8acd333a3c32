import Foundation

/// The owner of a response: responses of different partitions are never mixed.
struct CachePartition: Sendable {
    /// Why there is no partition that could be found again.
    enum Problem: String, Error {
        case oneCall = "nobody knows whose the credential will be"
        case tags = "tags without a principal"
    }

    /// The parts that are present.
    private var marks: UInt8 = 0
    /// The bytes that identify the owner; empty if there is none.
    private var bytes: [UInt8] = []

    /// The partition of what is never stored.
    static let none = CachePartition()

    private init() {}

    /// The partition of a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: What it belongs to.
    ///   - principal: Who it is made for, as far as that can be told.
    ///   - identity: Who the transport is to servers, if it is somebody.
    ///   - scope: The caller's own word.
    /// - Throws: Why a response could not be given to anyone else.
    init(
        _ request: HTTPRequest,
        context: RequestContext,
        principal: Principal?,
        identity: String?,
        scope: String?
    ) throws(Problem) {
        if let principal, principal == .ofOneCall(context.id) { throw .oneCall }
        let redaction = context.call.redaction
        marks = request.requiresAuth ? 1 : 0
        add(scope, mark: 2)
        add(principal?.identity, mark: 4)
        add(identity, mark: 8)
        var isCredential = false
        // What is secret is a credential, and separates.
        for field in request.headers where redaction.isSensitive(header: field.name) {
            isCredential = true
            CacheKey.add(field.name.lowercased().utf8, to: &bytes)
            CacheKey.add(field.value.utf8, to: &bytes)
        }
        // Nobody can tell what an interceptor further on adds because of a tag.
        if !context.tags.isEmpty, principal == nil, scope == nil, !isCredential { throw .tags }
    }

    private mutating func add(_ part: String?, mark: UInt8) {
        guard let part else { return }
        marks |= mark
        CacheKey.add(part.utf8, to: &bytes)
    }

    /// A Boolean value that indicates whether the partition has a named principal.
    var hasPrincipal: Bool { marks & 4 != 0 }

    /// The key of a URL in this partition.
    func key(of url: URL, host: String? = nil, secret: CacheHashKey) -> CacheKey {
        let (first, second) = CacheAddress.hash(of: url, host: host, secret: secret)
        var buffer: [UInt8] = []
        buffer.reserveCapacity(bytes.count + 17)
        withUnsafeBytes(of: first.littleEndian) { buffer.append(contentsOf: $0) }
        withUnsafeBytes(of: second.littleEndian) { buffer.append(contentsOf: $0) }
        buffer.append(contentsOf: bytes)
        buffer.append(marks)
        return CacheKey(of: CacheResource(addressHash: first), hashing: buffer, secret: secret)
    }
}

extension CacheResource {
    /// The name of a URL, which every partition's keys of it begin with.
    init(of url: URL, host: String? = nil, secret: CacheHashKey) {
        self.init(addressHash: CacheAddress.hash(of: url, host: host, secret: secret).0)
    }

    fileprivate init(addressHash: UInt64) {
        self.init(number: UInt32(truncatingIfNeeded: addressHash))
    }
}
