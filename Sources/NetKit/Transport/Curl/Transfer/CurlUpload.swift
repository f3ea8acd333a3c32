#if canImport(Glibc) || canImport(Musl)
    import Foundation

    /// The source of a request body's bytes.
    indirect enum CurlUpload {
        case none
        /// Bytes that are few enough to be copied and sent with the head.
        case copied(Data)
        case source(RequestBodySource, position: Int64)
        case stream(CurlUploadFeed)

        /// The number of bytes up to which a body is copied.
        static let maxCopySize = 64 << 10

        static func make(of body: HTTPBody?) throws -> CurlUpload {
            guard let body else { return .none }
            if let bytes = body.bytes, bytes.count <= maxCopySize { return .copied(bytes) }
            if let source = try RequestBodySource.readable(body) { return .source(source, position: 0) }
            return .stream(CurlUploadFeed(body))
        }

        /// The length of the body; `nil` if it is not known.
        var length: Int64? {
            switch self {
            case .none: 0
            case .copied(let bytes): Int64(bytes.count)
            case .source(let source, _): source.length
            case .stream(let feed): feed.length
            }
        }
    }
#endif
