import Foundation

/// Whose an answer is: answers of different partitions never meet.
struct CachePartition: Sendable {
    /// Why there is no partition that could be found again.
    enum Problem: String, Error {
        case oneCall = "nobody knows whose the credential will be"
        case tags = "tags without a principal"
    }

    /// Which of the parts there are.
    private var marks: UInt8 = 0
    /// What tells whose it is, one behind the other; nothing where it is anybody's.
    private var bytes: [UInt8] = []

    /// The partition of a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: What it belongs to.
    ///   - principal: Who it is made for, as far as that can be told.
    ///   - identity: Who the transport is to servers, where it is somebody.
    ///   - scope: The caller's own word.
    /// - Throws: Why an answer could not be given to anyone else.
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

    /// The key of a URL in this partition.
    func key(of url: URL, secret: CacheHashKey) -> CacheKey {
        var buffer = CacheAddress.bytes(of: url, room: bytes.count + 5)
        // Where the URL ends stands behind everything.
        let length = UInt32(truncatingIfNeeded: buffer.count)
        buffer.append(contentsOf: bytes)
        buffer.append(marks)
        withUnsafeBytes(of: length.littleEndian) { buffer.append(contentsOf: $0) }
        return CacheKey(hashing: buffer, secret: secret)
    }
}
