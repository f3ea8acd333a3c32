#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl

    /// A transfer's handle and the memory that it points to, owned by one transfer at a time, and then by
    /// `CurlHandles`.
    ///
    /// `@unchecked Sendable` because of its C pointers: it is handed over under the lock of `CurlHandles`, or with its
    /// transfer.
    final class CurlHandle: @unchecked Sendable {
        /// The size that libcurl demands.
        private static let errorSize = 256

        /// The settings that stay from one transfer to the next.
        struct Kept {
            /// Whether the settings that all transfers of a loop share are made.
            var isPrepared = false
            var isSecured = false
            var connectLimit: Int?
            var bufferSize: Int?
        }

        let easy: CurlEasy
        var kept = Kept()
        /// The options for the contexts of the callbacks that are set.
        var contextOptions: [Int] = []
        var room = CurlRoom()
        /// Whether the handle has to be reset before the next transfer, because it has options for one transfer only.
        var needsReset = false
        /// Whether the handle has state of the last transfer that no reset removes, so that it must not be used again.
        ///
        /// A server may have refused the request of a transfer that failed, or that libcurl sent again. With that
        /// state, libcurl would take a connection that closes for such a refusal, and send the next request twice.
        var isUnusable = false
        /// The position of its last request among those of the loop; 0 before libcurl 7.80, which reports none.
        var requestNumber = 0
        private let errorText: UnsafeMutablePointer<CChar>
        private var headers: UnsafeMutablePointer<nk_curl_slist>?
        private var overrides: UnsafeMutablePointer<nk_curl_slist>?
        private var detours: UnsafeMutablePointer<nk_curl_slist>?
        private var body: UnsafeMutableRawPointer?

        init?(_ library: CurlLibrary) {
            guard let handle = library.functions.pointee.easy_init() else { return nil }
            easy = CurlEasy(functions: library.functions, handle: handle)
            errorText = .allocate(capacity: Self.errorSize)
            errorText.initialize(repeating: 0, count: Self.errorSize)
        }

        deinit {
            easy.functions.pointee.easy_cleanup(easy.handle)
            release()
            errorText.deallocate()
        }

        /// Removes the state that belonged to the last transfer.
        func renew() {
            if needsReset {
                easy.functions.pointee.easy_reset(easy.handle)
                (kept, needsReset) = (Kept(), false)
                // The next callbacks are recorded in the same memory.
                contextOptions.removeAll(keepingCapacity: true)
            }
            release()
            forgetError()
        }

        func forgetError() { errorText[0] = 0 }

        func prepareErrors() { easy.setPointer(NK_CURLOPT_ERRORBUFFER, errorText) }

        /// Returns libcurl's text for the failure, or else the meaning of the code.
        func errorText(for code: Int32) -> String {
            if errorText[0] != 0 { return String(cString: errorText) }
            return String(cString: easy.functions.pointee.easy_strerror(code))
        }

        func set(headerLines lines: [String]) throws(NetKitError) {
            headers = try easy.functions.list(of: lines)
            easy.setPointer(NK_CURLOPT_HTTPHEADER, headers)
        }

        /// Sets the addresses of names, in libcurl's format.
        func set(addresses lines: [String]) throws(NetKitError) {
            needsReset = true
            try replace(&overrides, by: lines)
            easy.setPointer(NK_CURLOPT_RESOLVE, overrides)
        }

        /// Connects to another server than the one in the URL.
        func set(connectTo lines: [String]) throws(NetKitError) {
            needsReset = true
            try replace(&detours, by: lines)
            easy.setPointer(NK_CURLOPT_CONNECT_TO, detours)
        }

        /// Frees a list once the new one is there, because the old one stays if there is no memory.
        private func replace(
            _ list: inout UnsafeMutablePointer<nk_curl_slist>?,
            by lines: [String]
        ) throws(NetKitError) {
            let new = try easy.functions.list(of: lines)
            easy.functions.pointee.slist_free_all(list)
            list = new
        }

        /// Makes libcurl open a new connection instead of reusing one.
        func demandNewConnection() {
            needsReset = true
            easy.set(NK_CURLOPT_FRESH_CONNECT, true)
        }

        /// Sets the body to a copy of bytes, which libcurl reads until the transfer ends.
        func set(body bytes: UnsafeRawBufferPointer) {
            let copy = UnsafeMutableRawPointer.allocate(byteCount: max(1, bytes.count), alignment: 1)
            if let base = bytes.baseAddress { copy.copyMemory(from: base, byteCount: bytes.count) }
            body = copy
            easy.set(NK_CURLOPT_POST, true)
            easy.setOffset(NK_CURLOPT_POSTFIELDSIZE_LARGE, Int64(bytes.count))
            easy.setPointer(NK_CURLOPT_POSTFIELDS, copy)
        }

        private func release() {
            easy.functions.pointee.slist_free_all(headers)
            easy.functions.pointee.slist_free_all(overrides)
            easy.functions.pointee.slist_free_all(detours)
            body?.deallocate()
            (headers, overrides, detours, body) = (nil, nil, nil, nil)
        }
    }

    /// A loop's handles between two transfers.
    ///
    /// Callers create, set up and free the handles, so that the loop's thread has less to do.
    final class CurlHandles: Sendable {
        private static let maxIdle = 256

        private let library: CurlLibrary
        private let idle = Locked<[CurlHandle]>([])

        init(_ library: CurlLibrary) { self.library = library }

        /// Returns a handle with only the lasting settings; `nil` if libcurl has no memory for one.
        func take() -> CurlHandle? {
            idle.withLock { $0.popLast() } ?? CurlHandle(library)
        }

        /// Takes back a handle that is no longer in a set of transfers.
        func giveBack(_ handle: CurlHandle) {
            guard !handle.isUnusable else { return }
            handle.renew()
            idle.withLock { if $0.count < Self.maxIdle { $0.append(handle) } }
        }
    }
#endif
