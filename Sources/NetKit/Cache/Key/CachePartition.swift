import Foundation

/// Whose an answer is: answers of different partitions never meet.
struct CachePartition: Sendable {
    /// Why there is no partition that could be found again.
    enum Problem: String, Error {
        case oneCall = "nobody knows whose the credential will be"
        case tags = "tags without a principal"
    }

    /// Everything that tells whose it is, one behind the other.
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
        bytes.reserveCapacity(64)
        CacheKey.add((scope ?? "").utf8, to: &bytes)
        CacheKey.add((principal?.identity ?? "").utf8, to: &bytes)
        CacheKey.add((identity ?? "").utf8, to: &bytes)
        bytes.append(request.requiresAuth ? 1 : 0)
        bytes.append(principal == nil ? 0 : 1)
        let plain = bytes.count
        // What is secret is a credential, and separates.
        for field in request.headers where redaction.isSensitive(header: field.name) {
            CacheKey.add(field.name.lowercased().utf8, to: &bytes)
            CacheKey.add(field.value.utf8, to: &bytes)
        }
        // Nobody can tell what an interceptor further on adds because of a tag.
        if !context.tags.isEmpty, principal == nil, scope == nil, bytes.count == plain { throw .tags }
    }

    /// The key of a URL in this partition.
    func key(of url: URL, secret: CacheHashKey) -> CacheKey {
        let address = CacheAddress.bytes(of: url)
        var buffer: [UInt8] = []
        buffer.reserveCapacity(address.count + bytes.count + 4)
        CacheKey.add(address, to: &buffer)
        buffer.append(contentsOf: bytes)
        return CacheKey(hashing: buffer, secret: secret)
    }
}
