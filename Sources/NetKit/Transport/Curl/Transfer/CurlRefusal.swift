#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl

    /// Whether a server has said of a request over HTTP/2 that it did not process it.
    ///
    /// A server that reloads closes its streams beyond the last that it processed (`GOAWAY`), or refuses one
    /// (`REFUSED_STREAM`). libcurl sends such a request again by itself, and tells nobody why but in the text that it writes
    /// for people. No other text of libcurl's log is read. It is that of libcurl 7.88; without it, a request that is not
    /// idempotent ends as if the server might have processed it.
    enum CurlRefusal {
        private static let text: StaticString = "refused_stream, retrying"

        /// Has libcurl tell a transfer; only for requests that must not be sent twice, because the text costs time.
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
            line.begins(with: text, ignoringCase: true)
        }
    }

    extension CurlTransfer {
        /// The server has not processed the request, which libcurl is about to send again.
        func noteRefused() {
            guard !isHeadComplete else { return }
            watch = nil
            sentCount = 0
            attempt.noteConnecting()
        }
    }
#endif
