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
        /// Empty for `identity` and for an empty value. `nil` if a coding is unknown or if there are too many: such a body is
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

    extension ContentCoding {
        /// The error of a body that ends in the middle of its coding.
        ///
        /// Not `.connectionLost`: that a connection broke, the transport sees by the framing and says itself. Here the framing says
        /// that the body is whole, and the body says that it is not.
        func endsEarly() -> NetKitError {
            let message = "The body ends in the middle of its \(rawValue) data: the server sent only a part of it."
            return NetKitError(.invalidResponse, message, outcome: .answered)
        }

        /// The error of a body that is not what its coding says.
        func isDamaged(_ reason: String) -> NetKitError {
            let message = "The body is not valid \(rawValue) data (\(reason)), though the server calls it that."
            return NetKitError(.invalidResponse, message, outcome: .answered)
        }

        /// The error of a body that becomes far more than it was.
        func growsTooMuch(_ maximumRatio: Int) -> NetKitError {
            let message = "The body's \(rawValue) data decodes to more than \(maximumRatio) times its size."
            return NetKitError(.bodyTooLarge, message, outcome: .answered)
        }

        /// The error of a library that does not start to decode.
        func cannotStart() -> NetKitError {
            let message = "The library that decodes \(rawValue) cannot start: it has no memory, or is another version."
            return NetKitError(.unsupported, message, outcome: .answered)
        }
    }

    /// A decoder that removes one coding from a body, piece by piece.
    ///
    /// It belongs to one `ContentDecoder`, which stops using it once it has thrown.
    protocol CodingDecoder: AnyObject {
        /// Decodes bytes; what comes out is written to the buffer, as often as it takes, and handed on from there.
        func decode(
            _ bytes: UnsafeRawBufferPointer,
            buffer: UnsafeMutableRawBufferPointer,
            into output: (UnsafeRawBufferPointer) throws -> Void
        ) throws

        /// Throws unless the body may end here.
        func finish() throws
    }
#endif
