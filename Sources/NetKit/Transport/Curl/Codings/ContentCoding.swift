#if canImport(Glibc) || canImport(Musl)
    /// A coding that was applied to a body before it was sent (RFC 9110, section 8.4.1).
    enum ContentCoding: String, Sendable, CaseIterable {
        case gzip
        case deflate
        case br
        case zstd

        /// The maximum number of nested codings that are removed.
        static let maximumCount = 4

        /// The codings that a `Content-Encoding` value names, in the order in which they were applied.
        ///
        /// Empty for `identity` and for an empty value. Nil where a coding is unknown or where there are too many: such a body is
        /// handed out as it came.
        static func list(_ value: String) -> [ContentCoding]? {
            var codings: [ContentCoding] = []
            for part in value.utf8.split(separator: UInt8(ascii: ",")) {
                let name = String(decoding: part.trimmingBlanks.map(\.lowercasedASCII), as: UTF8.self)
                if name.isEmpty || name == "identity" { continue }
                guard let coding = ContentCoding(rawValue: name == "x-gzip" ? "gzip" : name) else { return nil }
                codings.append(coding)
                if codings.count > maximumCount { return nil }
            }
            return codings
        }
    }
#endif
