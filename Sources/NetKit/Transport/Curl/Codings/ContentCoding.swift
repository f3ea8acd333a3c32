#if canImport(Glibc) || canImport(Musl)
    /// A coding that was applied to a body before it was sent (RFC 9110, section 8.4.1).
    enum ContentCoding: String, Sendable, CaseIterable {
        case gzip, deflate, br, zstd

        /// The maximum number of nested codings that are removed.
        static let maximumCount = 4

        /// Returns the codings that a `Content-Encoding` value names, in the order in which they were applied.
        ///
        /// The result is empty for `identity` and for an empty value. It is `nil` if a coding is unknown or if there
        /// are too many; such a body is delivered unchanged.
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
        /// Returns the error of a body that ends in the middle of its coding.
        ///
        /// It is not `.connectionLost`, because the transport detects a broken connection by the framing and reports it
        /// itself. Here, the framing says that the body is complete, and the coding says that it is not.
        func endsEarly() -> NetKitError {
            let message = "The body ends in the middle of its \(rawValue) data: the server sent only a part of it."
            return NetKitError(.invalidResponse, message, outcome: .answered)
        }

        /// Returns the error of a body that is not valid data of its coding.
        func isDamaged(_ reason: String) -> NetKitError {
            let message = "The body is not valid \(rawValue) data (\(reason)), though the server calls it that."
            return NetKitError(.invalidResponse, message, outcome: .answered)
        }

        /// Returns the error of a body whose decoded size is too many times its received size.
        func growsTooMuch(_ maxRatio: Int) -> NetKitError {
            let message = "The body's \(rawValue) data decodes to more than \(maxRatio) times its size."
            return NetKitError(.bodyTooLarge, message, outcome: .answered)
        }

        /// Returns the error of a library that cannot start to decode.
        func cannotStart() -> NetKitError {
            let message = "The library that decodes \(rawValue) cannot start: it has no memory, or is another version."
            return NetKitError(.unsupported, message, outcome: .answered)
        }
    }

    /// A decoder that removes one coding from a body, step by step.
    ///
    /// It belongs to one `ContentDecoder`, which stops using it once it has thrown.
    protocol CodingDecoder: AnyObject {
        /// Decodes as many bytes as fit into the buffer once they are decoded, or fewer.
        ///
        /// If bytes are left, they have to be passed to the next step. Without any, only the rest of earlier ones is
        /// written.
        func decode(_ bytes: UnsafeRawBufferPointer, into buffer: UnsafeMutableRawBufferPointer) throws -> CodingStep

        /// Throws an error unless the body may end here.
        func finish() throws
    }

    /// The result of one step of a decoder.
    struct CodingStep {
        /// The number of bytes that were read.
        var read = 0
        /// The number of bytes in the buffer.
        var written = 0
        /// Whether the next step may write more without another byte.
        var hasMore = false
    }
#endif
