#if canImport(Glibc) || canImport(Musl)
    /// The part of a body that is decoded before other transfers have their turn.
    ///
    /// It lasts while the loop handles the events of its sockets, during which libcurl may deliver many pieces.
    struct DecodingTurn {
        /// The decoded size after which the turn is over.
        static let maxSize = 1 << 20

        private var start: NetKitClock.Instant?
        private var size = 0

        /// Whether no more may be decoded in this wake-up.
        var isOver: Bool { size >= Self.maxSize }

        /// Begins a new turn if the wake-up is a new one.
        mutating func begin(inWakeUpAt time: NetKitClock.Instant?) {
            if time != start { (start, size) = (time, 0) }
        }

        /// Records decoded bytes.
        mutating func note(_ count: Int) { size += count }

        /// Decodes bytes in the turn of a wake-up; returns `false` if it stopped before their end.
        ///
        /// It stops if `output` wants no more, or once a bounded turn is over.
        mutating func decode(
            _ bytes: UnsafeRawBufferPointer,
            with decoder: ContentDecoder,
            inWakeUpAt time: NetKitClock.Instant?,
            isBounded: Bool,
            into output: (UnsafeRawBufferPointer) throws -> Bool
        ) throws -> Bool {
            begin(inWakeUpAt: time)
            return try decoder.decode(bytes) { decoded in
                let goesOn = try output(decoded)
                note(decoded.count)
                return goesOn && !(isBounded && isOver)
            }
        }
    }

    /// Removes the codings from a body while it arrives, and passes the decoded bytes on at once.
    ///
    /// It stops in the middle of a piece if its reader wants no more, because a few bytes can decode to very many.
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

        /// One coding, with its decoded bytes that the next coding has not read yet.
        private final class Stage {
            let coding: ContentCoding
            let decoder: any CodingDecoder
            private let buffer: UnsafeMutableRawBufferPointer
            private var unread = 0..<0
            /// Whether the decoder may write more without another byte.
            private(set) var hasMore = false
            private(set) var hasBegun = false
            /// The size of the decoded bytes so far.
            private(set) var size: Int64 = 0

            init(_ coding: ContentCoding, _ decoder: any CodingDecoder, bufferSize: Int) {
                self.coding = coding
                self.decoder = decoder
                buffer = .allocate(byteCount: max(1, bufferSize), alignment: 16)
            }

            deinit { buffer.deallocate() }

            /// The decoded bytes that were not read yet.
            var output: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer[unread]) }

            /// Makes one step once the output was read, and returns the number of bytes that it read.
            func decode(_ bytes: UnsafeRawBufferPointer) throws -> Int {
                hasBegun = true
                let step = try decoder.decode(bytes, into: buffer)
                guard step.read > 0 || step.written > 0 || (bytes.isEmpty && !step.hasMore) else {
                    throw coding.isDamaged("no progress")
                }
                unread = 0..<step.written
                hasMore = step.hasMore
                size = size.addingSaturated(Int64(step.written))
                return step.read
            }

            /// Records that bytes of the output were read.
            func noteRead(_ count: Int) { unread = unread.dropFirst(count) }
        }

        private let stages: [Stage]
        private let maxRatio: Int
        /// The size of the body up to the end of the last piece.
        private var received: Int64 = 0
        /// The size of the pieces that were decoded completely.
        private var completed: Int64 = 0
        /// The number of bytes after those pieces that were read already.
        private var readAhead = 0
        /// Whether the last piece was decoded completely.
        private var isAtEndOfPiece = true
        private var failure: (any Error)?

        /// Creates a decoder from those of the codings, in the order in which the codings are removed.
        init(_ decoders: [(coding: ContentCoding, decoder: any CodingDecoder)], maxRatio: Int, bufferSize: Int) {
            stages = decoders.map { Stage($0.coding, $0.decoder, bufferSize: bufferSize) }
            self.maxRatio = max(1, maxRatio)
        }

        /// Decodes the next piece until its end, or until `output` wants no more; returns whether the end was reached.
        ///
        /// If it was not, the caller goes on by passing the same piece again, alone or with bytes that follow it. The
        /// bytes passed to `output` are valid only during that call, which returns whether it wants more. It throws
        /// `.invalidResponse` for damaged data, `.bodyTooLarge` beyond the ratio, or the error of `output`, and the
        /// same again in each later call.
        func decode(
            _ piece: UnsafeRawBufferPointer,
            into output: (UnsafeRawBufferPointer) throws -> Bool
        ) throws -> Bool {
            try remembering {
                received = max(received, completed.addingSaturated(Int64(piece.count)))
                let known = min(readAhead, piece.count)
                var rest = UnsafeRawBufferPointer(rebasing: piece[known...])
                isAtEndOfPiece = try decode(&rest, into: output)
                readAhead += piece.count - known - rest.count
                guard isAtEndOfPiece else { return false }
                completed = completed.addingSaturated(Int64(piece.count))
                readAhead -= piece.count
                return true
            }
        }

        /// Ends the body; throws `.invalidResponse` if it ends early.
        ///
        /// A body without a single byte is complete: servers also name a coding if they have nothing to send.
        func finish() throws {
            try remembering {
                for stage in stages where stage.hasBegun {
                    guard isAtEndOfPiece else { throw stage.coding.endsEarly() }
                    try stage.decoder.finish()
                }
            }
        }

        private func remembering<Result>(_ action: () throws -> Result) throws -> Result {
            if let failure { throw failure }
            do {
                return try action()
            } catch {
                failure = error
                throw error
            }
        }

        /// Decodes the unread rest of a piece; returns `false` if `output` wants no more before its end.
        private func decode(
            _ rest: inout UnsafeRawBufferPointer,
            into output: (UnsafeRawBufferPointer) throws -> Bool
        ) throws -> Bool {
            while let index = nextIndex(rest) {
                let stage = stages[index]
                if index == 0 {
                    let read = try stage.decode(rest)
                    rest = UnsafeRawBufferPointer(rebasing: rest[read...])
                } else {
                    let previous = stages[index - 1]
                    previous.noteRead(try stage.decode(previous.output))
                }
                try checkSize(of: stage)
                let decoded = stage.output
                guard index == stages.count - 1, !decoded.isEmpty else { continue }
                stage.noteRead(decoded.count)
                guard try output(decoded) else { return nextIndex(rest) == nil }
            }
            return true
        }

        /// Returns the index of the last coding that has something to read or to write, so that each buffer is empty
        /// when it is written to; `nil` at the end of the piece.
        private func nextIndex(_ rest: UnsafeRawBufferPointer) -> Int? {
            stages.indices.last { index in
                let input = index == 0 ? rest : stages[index - 1].output
                return !input.isEmpty || stages[index].hasMore
            }
        }

        /// Compares a coding's size with the received size, not with the previous coding's, because ratios multiply.
        private func checkSize(of stage: Stage) throws {
            let bound = received.multipliedSaturated(by: Int64(maxRatio))
            guard stage.size <= max(bound, Self.freeSize) else { throw stage.coding.growsTooMuch(maxRatio) }
        }
    }
#endif
