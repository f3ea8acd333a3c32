#if canImport(Glibc) || canImport(Musl)
    import CNetKitSystem
#endif

/// The default transport of the platform, which the whole process shares and which is never closed.
///
/// On Linux, it is `CurlTransport`. On other platforms, and if libcurl cannot be used, it is ``URLSessionTransport``. A
/// libcurl that cannot be used is reported once on standard error and in `explain()`; `try CurlTransport()` throws
/// instead. While the system lacks file descriptors or threads for the transport, exchanges fail with `.connect`.
public struct PlatformTransport: TransportForwarding {
    /// The choice of the process.
    private static let choice = TransportChoice { () throws(NetKitError) -> any Transport in
        #if os(Linux)
            return try CurlTransport()
        #else
            return URLSessionTransport()
        #endif
    } report: { error in
        #if os(Linux)
            // `FileHandle.write(_:)` would end the process if standard error is closed or its disk is full.
            Array("NetKit: \(error.message) URLSession is used instead.\n".utf8).withUnsafeBytes { note in
                if let base = note.baseAddress { _ = nk_write_quietly(2, base, note.count, 100) }
            }
        #endif
    }

    fileprivate init() {}

    /// The transport that carries out the exchanges; this one, without any traits, while the system lacks resources.
    var actual: any Transport { (try? Self.choice.transport()) ?? self }

    /// The name of the transport.
    public var summary: String {
        let chosen = Result { () throws(NetKitError) in try Self.choice.transport().summary }
        return switch chosen {
        case .success(let name): "platform default: \(name)"
        case .failure(let error): "platform default: none now. \(error.message)"
        }
    }

    /// Carries out one exchange over the process's transport.
    public func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
        try await Self.choice.transport().send(request, context: context)
    }
}

extension Transport where Self == PlatformTransport {
    /// The default transport of the platform, shared by the whole process.
    public static var platformDefault: PlatformTransport { PlatformTransport() }
}
