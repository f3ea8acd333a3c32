#if canImport(Glibc) || canImport(Musl)
    /// Removes the codings from a body while it arrives, and passes the decoded bytes on at once.
    ///
    /// Its memory is a buffer of fixed size for each coding, and the memory of the libraries. It bounds only the ratio
    /// of the decoded size to the received size; the caller bounds the size itself.
    final class ContentDecoder {
        /// The default for the maximum ratio between a decoded body and its size on the wire.
        static let defaultMaximumRatio = 1000
        /// The decoded size that is always allowed, regardless of the received size.
        static let freeSize: Int64 = 1 << 20
        /// The size of the buffer of each coding.
        static let defaultBufferSize = 64 << 10

        /// One coding, with the size of its decoded bytes so far.
        private final class Stage {
            let coding: ContentCoding
            let decoder: any CodingDecoder
            let buffer: UnsafeMutableRawBufferPointer
            var hasBegun = false
            var size: Int64 = 0

            init(_ coding: ContentCoding, _ decoder: any CodingDecoder, bufferSize: Int) {
                self.coding = coding
                self.decoder = decoder
                buffer = .allocate(byteCount: max(1, bufferSize), alignment: 16)
            }

            deinit {
                buffer.deallocate()
            }
        }

        private let stages: [Stage]
        private let maxRatio: Int
        private var received: Int64 = 0
        private var failure: (any Error)?

        /// Creates a decoder from those of the codings, in the order in which the codings are removed.
        init(
            _ decoders: [(coding: ContentCoding, decoder: any CodingDecoder)],
            maxRatio: Int = defaultMaximumRatio,
            bufferSize: Int = defaultBufferSize
        ) {
            stages = decoders.map { Stage($0.coding, $0.decoder, bufferSize: bufferSize) }
            self.maxRatio = max(1, maxRatio)
        }

        /// Decodes the next bytes; the bytes passed to `output` are valid only during that call.
        ///
        /// - Throws: `.invalidResponse` for damaged data, `.bodyTooLarge` beyond the ratio, or the error of `output`.
        ///   After an error, each later call throws the same error.
        func decode(_ bytes: UnsafeRawBufferPointer, into output: (UnsafeRawBufferPointer) throws -> Void) throws {
            try remembering {
                received = received.addingSaturated(Int64(bytes.count))
                try decode(bytes, from: 0, into: output)
            }
        }

        /// Ends the body.
        ///
        /// A body without a single byte is complete: servers also name a coding if they have nothing to send.
        ///
        /// - Throws: `.invalidResponse` if the body ends early.
        func finish() throws {
            try remembering {
                for stage in stages where stage.hasBegun { try stage.decoder.finish() }
            }
        }

        private func remembering(_ action: () throws -> Void) throws {
            if let failure { throw failure }
            do {
                try action()
            } catch {
                failure = error
                throw error
            }
        }

        private func decode(
            _ bytes: UnsafeRawBufferPointer,
            from index: Int,
            into output: (UnsafeRawBufferPointer) throws -> Void
        ) throws {
            guard !bytes.isEmpty else { return }
            guard index < stages.count else { return try output(bytes) }
            let stage = stages[index]
            stage.hasBegun = true
            try stage.decoder.decode(bytes, buffer: stage.buffer) { piece in
                try count(piece.count, of: stage)
                try decode(piece, from: index + 1, into: output)
            }
        }

        /// Compares each coding's size with the received size, not with the previous coding's, because ratios multiply.
        private func count(_ size: Int, of stage: Stage) throws {
            stage.size = stage.size.addingSaturated(Int64(size))
            let (bound, overflow) = received.multipliedReportingOverflow(by: Int64(maxRatio))
            guard overflow || stage.size <= max(bound, Self.freeSize) else {
                throw stage.coding.growsTooMuch(maxRatio)
            }
        }
    }
#endif
