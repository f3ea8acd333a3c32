#if canImport(Glibc) || canImport(Musl)
    /// Takes the codings off a body while it arrives; what comes out is handed on at once.
    ///
    /// It keeps a buffer of fixed size a coding, and what the libraries keep. How large a body may become is the caller's
    /// matter; here is bounded only how many times larger than what arrived.
    final class ContentDecoder {
        /// The default for the maximum ratio between a decoded body and its size on the wire.
        static let defaultMaximumRatio = 1000
        /// The decoded size that is always allowed, whatever arrived.
        static let freeSize: Int64 = 1 << 20
        /// The size of the buffer of each coding.
        static let defaultBufferSize = 64 << 10

        /// One coding, with what came out of it so far.
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
        private let maximumRatio: Int
        private var received: Int64 = 0
        private var failure: (any Error)?

        /// Creates a decoder from those of the codings, in the order in which they are taken off.
        init(
            _ decoders: [(coding: ContentCoding, decoder: any CodingDecoder)],
            maximumRatio: Int = defaultMaximumRatio,
            bufferSize: Int = defaultBufferSize
        ) {
            stages = decoders.map { Stage($0.coding, $0.decoder, bufferSize: bufferSize) }
            self.maximumRatio = max(1, maximumRatio)
        }

        /// Decodes the next bytes; what is handed on is valid only during the call.
        ///
        /// - Throws: `.invalidResponse` for damaged data, `.bodyTooLarge` beyond the ratio, and what `output` throws. Once it has
        ///   thrown, each later call throws the same.
        func decode(_ bytes: UnsafeRawBufferPointer, into output: (UnsafeRawBufferPointer) throws -> Void) throws {
            try remembering {
                received = received.addingSaturated(Int64(bytes.count))
                try decode(bytes, from: 0, into: output)
            }
        }

        /// Ends the body.
        ///
        /// A body without a single byte is complete: servers name a coding also if they have nothing to send.
        ///
        /// - Throws: `.invalidResponse` where the body ends early.
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

        /// Measures each coding by what arrived, and not by what the one before made of it: ratios multiply.
        private func count(_ size: Int, of stage: Stage) throws {
            stage.size = stage.size.addingSaturated(Int64(size))
            let (bound, overflow) = received.multipliedReportingOverflow(by: Int64(maximumRatio))
            guard overflow || stage.size <= max(bound, Self.freeSize) else {
                throw stage.coding.growsTooMuch(maximumRatio)
            }
        }
    }
#endif
