#if canImport(Glibc) || canImport(Musl)
    import Foundation

    /// The body of a streamed response, which has a pipe unless it arrives in the same wake-up as its head.
    extension CurlTransfer {
        /// Gives the caller the response while its body is arriving, with the part that has arrived in a pipe.
        func openBody() {
            guard opensBody, pipe == nil else { return }
            let transfer = WeakBox<CurlTransfer>()
            pipe = BodyPipe(
                onDrain: { if let transfer = transfer.object { transfer.loop.inbox.post(.resumeReceiving(transfer)) } },
                onCancel: { transfer.object?.stop($0) }
            )
            transfer.set(self)
            headTimings = measuredTimings()
            body.moveSmall { stream($0) }
            settle(.head)
        }

        /// Adds bytes to a body whose reader gets them as they arrive.
        func stream(_ bytes: UnsafeRawBufferPointer) {
            if pipe == nil {
                if body.appendIfSmall(bytes) { return }
                openBody()
            }
            withCore { $0.pendingBodies.note(self) }
            if chunkBuffer.add(bytes) { handOver() }
        }

        /// Gives the buffered bytes to the reader.
        func handOver() {
            guard let pipe, let chunk = chunkBuffer.take(for: pipe.pace) else { return }
            if !pipe.offer(chunk) { isReaderBehind = true }
        }

        /// Returns the response while its body is still arriving.
        func streamedResponse() -> HTTPResponse {
            let body = pipe.map { ResponseBody(length: bodyLength, source: $0) } ?? .empty
            // The number of bytes is known only at the end.
            var timings = headTimings
            timings.bytesReceived = nil
            return response(body, timings)
        }

        private var bodyLength: Int64? {
            guard HTTPStatus(head.status).mayHaveBody(respondingTo: method) else { return 0 }
            return head.isDecoded ? nil : head.declaredLength
        }
    }
#endif
