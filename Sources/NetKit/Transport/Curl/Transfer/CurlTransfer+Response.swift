#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl
    import Foundation

    /// The response of a transfer as it arrives: its head, body and trailers; on the loop's thread.
    extension CurlTransfer {
        /// Records that the transfer was resumed, because its pause does not count as silence.
        func noteResumed() {
            let now = now
            if isReceivingPaused { watch?.noteReceived(at: now) }
            // After the response has begun, the request is no longer waited for.
            if isSendingPaused, !isHeadComplete { watch?.noteSent(isEnd: false, at: now) }
        }

        private func noteReceived() { watch?.noteReceived(at: now) }

        func receiveLine(_ line: UnsafeRawBufferPointer) -> Int {
            noteReceived()
            guard !isHeadComplete else {
                return addTrailer(line) ? line.count : 0
            }
            let progress = head.add(line)
            if let problem = head.problem {
                attempt.noteAnswered()
                fail(invalidResponse(problem))
                return 0
            }
            if head.namesHTTP2, head.isAtStart { withCore { $0.noteClaimOfHTTP2(self) } }
            switch progress {
            case .goesOn, .informational: return line.count
            case .complete: return completeHead() ? line.count : 0
            }
        }

        /// The maximum size of the trailers of a response.
        private static let maxTrailerBytes = 64 << 10

        /// Adds a line after the body; returns `false` if the transfer has to end.
        private func addTrailer(_ line: UnsafeRawBufferPointer) -> Bool {
            let content = CurlLines.content(of: line)
            guard trailers.byteCount + content.count <= Self.maxTrailerBytes else {
                return refuse("its trailers are larger than \(Self.maxTrailerBytes >> 10) KiB")
            }
            guard !RequestValidation.hasControlCharacter(content) else {
                return refuse("a trailer has a control character")
            }
            trailers.add(content)
            return true
        }

        /// Ends the head; returns `false` if the transfer has to end.
        private func completeHead() -> Bool {
            isHeadComplete = true
            attempt.noteAnswered()
            // After an error, libcurl sends no more, but would wait for the end of the pause.
            if isSendingPaused { loop.inbox.post(.resumeSending(self)) }
            withCore { $0.noteHead(self) }
            let mayHaveBody = HTTPStatus(head.status).mayHaveBody(respondingTo: method)
            guard !mayHaveBody || prepareForBody() else { return false }
            if mayHaveBody { watchEndOfConnection() }
            if context.delivery.isStreamed {
                opensBody = true
                withCore { $0.begun.append(self) }
            }
            return true
        }

        /// The maximum number of bytes of the body that are collected; `nil` if it is streamed.
        private var maxBufferedBytes: Int? { context.delivery.maxBufferedBytes(of: HTTPStatus(head.status)) }

        private func prepareForBody() -> Bool {
            if head.hasOtherTransferCoding { return refuse("it has a transfer coding other than chunked") }
            do {
                // A part of an encoded body cannot be decoded.
                let isPart = HTTPStatus(head.status) == .partialContent
                if let codings = loop.codings, !head.codings.isEmpty, !isPart {
                    decoder = try codings.decoder(for: head.codings.joined(separator: ", "))
                    head.isDecoded = decoder != nil
                }
                guard decoder == nil, let limit = maxBufferedBytes, let length = head.declaredLength
                else {
                    return true
                }
                guard length <= Int64(limit) || !HTTPStatus(head.status).isSuccess else {
                    throw tooLarge(limit, declared: length)
                }
                body.expect(Int(min(length, Int64(limit))))
                return true
            } catch {
                fail(error)
                return false
            }
        }

        func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
            if isDropping { return 0 }
            guard isHeadComplete else { return mayPass(bytes) ? bytes.count : 0 }
            guard !isReaderBehind else { return pauseReceiving() }
            noteReceived()
            do {
                if let decoder {
                    guard try decode(bytes, with: decoder) else { return pauseReceiving() }
                } else {
                    try deliver(bytes)
                }
                return bytes.count
            } catch {
                fail(error)
                return 0
            }
        }

        /// Makes libcurl keep the bytes, and deliver them again once the transfer is resumed.
        private func pauseReceiving() -> Int {
            isReceivingPaused = true
            return NK_CURL_WRITEFUNC_PAUSE
        }

        /// Decodes bytes; returns `false` if the transfer has to be paused before their end.
        ///
        /// A buffered body is not paused, because its size is bounded.
        private func decode(_ bytes: UnsafeRawBufferPointer, with decoder: ContentDecoder) throws -> Bool {
            let time = withCore { $0.now }
            let isWhole = try turn.decode(bytes, with: decoder, inWakeUpAt: time, isBounded: opensBody) { decoded in
                try deliver(decoded)
                return !opensBody || !isReaderBehind
            }
            if !isWhole, !isReaderBehind { loop.inbox.post(.takeTurn(self)) }
            return isWhole
        }

        /// Returns whether libcurl may see a line of the head; `false` ends the transfer.
        private func mayPass(_ line: UnsafeRawBufferPointer) -> Bool {
            guard head.isAtStart, let first = line.first, first.isHTTPBlank else { return true }
            return refuse("its head begins with a continuation line")
        }

        /// Ends the transfer because of a response that breaks the protocol, and returns `false`.
        private func refuse(_ problem: String) -> Bool {
            fail(invalidResponse(problem))
            return false
        }

        func invalidResponse(_ problem: String) -> NetKitError {
            NetKitError(.invalidResponse, "The server's response breaks the protocol: \(problem).", outcome: .answered)
        }

        private func deliver(_ bytes: UnsafeRawBufferPointer) throws {
            if opensBody { return stream(bytes) }
            let limit = maxBufferedBytes ?? .max
            guard bytes.count <= limit - body.count else {
                let room = max(0, min(limit, NetKitError.Response.defaultMaxBodyBytes) - body.count)
                _ = body.append(UnsafeRawBufferPointer(rebasing: bytes.prefix(room)))
                throw tooLarge(limit, declared: nil)
            }
            guard body.append(bytes) else {
                let message =
                    "There is no memory for a body of \(body.count + bytes.count) bytes or more. "
                    + "Stream the body, or lower the limit of the delivery."
                throw NetKitError(.bodyTooLarge, message, outcome: .answered)
            }
        }

        /// Returns the error of a large body, with its status and first part, so that a refusal is not lost.
        private func tooLarge(_ limit: Int, declared: Int64?) -> NetKitError {
            let kept = Data(body.data.prefix(NetKitError.Response.defaultMaxBodyBytes))
            let response = NetKitError.Response(
                status: HTTPStatus(head.status),
                headers: head.fields(),
                body: kept,
                isTruncated: true
            )
            return ResponseBody.tooLarge(limit, declared: declared, response: response)
        }
    }
#endif
