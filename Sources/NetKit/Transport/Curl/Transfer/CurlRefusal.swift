#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl

    /// The detection of HTTP/2 requests that the server has reported as not processed.
    ///
    /// A server that reloads closes its streams after the last one that it processed (`GOAWAY`), or refuses one
    /// (`REFUSED_STREAM`). A server that needs HTTP/1.1 for a request demands it (`HTTP_1_1_REQUIRED`). RFC 9113 does
    /// not say that such a request was not processed, but a server that has acted has a response to send instead, and
    /// browsers send the request again as well. libcurl sends all of these again by itself. It reports the reason only
    /// in its log, in the words of libcurl 7.88. Nothing else is read from the log. If another version uses other
    /// words, a request that is not idempotent ends as if the server might have processed it.
    enum CurlRefusal {
        private static let texts: [StaticString] = ["refused_stream, retrying", "downgrades to http/1.1"]

        /// Makes libcurl report refusals to a transfer.
        ///
        /// The log costs time, so it is switched on only for a request that must not be sent twice.
        static func listen(_ transfer: CurlTransfer, _ easy: CurlEasy) {
            easy.setPointer(NK_CURLOPT_DEBUGDATA, Unmanaged.passUnretained(transfer).toOpaque())
            _ = nk_curl_set_debug_callback(easy.functions, easy.handle) { _, kind, bytes, size, context in
                if kind == NK_CURLINFO_TEXT, CurlRefusal.isRefusal(UnsafeRawBufferPointer(start: bytes, count: size)) {
                    CurlTransfer.with(context, else: ()) { $0.noteRefused() }
                }
                return 0
            }
            easy.set(NK_CURLOPT_VERBOSE, true)
        }

        static func isRefusal(_ line: UnsafeRawBufferPointer) -> Bool {
            texts.contains { line.begins(with: $0, ignoringCase: true) }
        }
    }

    extension CurlTransfer {
        /// Records that the server has not processed the request, which libcurl is about to send again.
        func noteRefused() {
            guard !isHeadComplete else { return }
            watch = nil
            noteSentAgain(from: 0)
            attempt.noteConnecting()
        }
    }
#endif
