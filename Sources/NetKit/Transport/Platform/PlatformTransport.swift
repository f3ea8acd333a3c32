#if canImport(Glibc) || canImport(Musl)
    import CNetKitSystem
#endif

/// The default transport of the platform, which the whole process shares and which is never closed.
///
/// On Linux, it is `CurlTransport`. On other platforms, and if libcurl cannot be used, it is ``URLSessionTransport``. A
/// libcurl that cannot be used is reported once on standard error and in `explain()`; `try CurlTransport()` throws
/// instead.
public struct PlatformTransport: TransportForwarding {
    /// The transport of this platform.
    static let shared: any Transport = {
        #if os(Linux)
            do throws(NetKitError) {
                return try CurlTransport()
            } catch {
                // `FileHandle.write(_:)` would end the process if standard error is closed or its disk is full.
                Array("NetKit: \(error.message) URLSession is used instead.\n".utf8).withUnsafeBytes { note in
                    if let base = note.baseAddress { _ = nk_write_quietly(2, base, note.count, 100) }
                }
            }
        #endif
        return URLSessionTransport()
    }()

    fileprivate init() {}

    /// The transport that carries out the exchanges.
    var actual: any Transport { Self.shared }

    /// The name of the transport.
    public var summary: String { "platform default: \(Self.shared.summary)" }

    /// Carries out one exchange over the process's transport.
    public func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
        try await Self.shared.send(request, context: context)
    }
}

extension Transport where Self == PlatformTransport {
    /// The default transport of the platform, shared by the whole process.
    public static var platformDefault: PlatformTransport { PlatformTransport() }
}
