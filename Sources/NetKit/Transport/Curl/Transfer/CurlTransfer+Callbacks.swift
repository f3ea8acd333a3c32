#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl

    /// The callbacks of libcurl, on the loop's thread.
    extension CurlTransfer {
        /// Sets the callbacks, which stay the same from one transfer to the next.
        ///
        /// The option for the context of each one is recorded for `setContext`.
        func installCallbacks(_ handle: CurlHandle) {
            let easy = handle.easy
            let functions = easy.functions
            easy.setData(NK_CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
                CurlTransfer.with(context, else: 0) {
                    $0.receiveLine(UnsafeRawBufferPointer(start: bytes, count: size * count))
                }
            }
            handle.contextOptions.append(NK_CURLOPT_HEADERDATA)
            easy.setData(NK_CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
                CurlTransfer.with(context, else: 0) {
                    $0.receiveBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
                }
            }
            handle.contextOptions.append(NK_CURLOPT_WRITEDATA)
            _ = nk_curl_set_open_socket_callback(functions, easy.handle) { context, _, address in
                CurlTransfer.with(context, else: -1) { $0.openSocket(for: address.pointee) }
            }
            handle.contextOptions.append(NK_CURLOPT_OPENSOCKETDATA)
            // A connection outlives the transfer that opened it, but not the loop.
            easy.setPointer(NK_CURLOPT_CLOSESOCKETDATA, loop.coreContext)
            _ = nk_curl_set_close_socket_callback(functions, easy.handle) { context, descriptor in
                CurlLoopCore.with(context) { $0.close(descriptor) }
                return 0
            }
            if loop.proxies.areUsed {
                easy.set(NK_CURLOPT_NOPROGRESS, false)
                _ = nk_curl_set_progress_callback(functions, easy.handle) { context, _, _, _, _ in
                    CurlTransfer.with(context, else: 0) { $0.mayContinue() ? 0 : 1 }
                }
                handle.contextOptions.append(NK_CURLOPT_PROGRESSDATA)
            }
            if loop.library.openSSL != nil {
                _ = nk_curl_set_tls_callback(functions, easy.handle) { _, tls, context in
                    if let tls { CurlTransfer.with(context, else: ()) { $0.prepareTLS(tls) } }
                    return Int32(NK_CURLE_OK)
                }
                handle.contextOptions.append(NK_CURLOPT_SSL_CTX_DATA)
            }
            if loop.library.takesAddresses {
                _ = nk_curl_set_resolver_start_callback(functions, easy.handle) { _, _, context in
                    CurlTransfer.with(context, else: 0) { $0.mayResolve() ? 0 : 1 }
                }
                handle.contextOptions.append(NK_CURLOPT_RESOLVER_START_DATA)
            }
            if loop.library.number >= CurlLibrary.Since.beforeRequest {
                _ = nk_curl_set_prerequest_callback(functions, easy.handle) { context, remote, _, _, localPort in
                    CurlTransfer.with(context, else: Int32(NK_CURL_PREREQFUNC_ABORT)) {
                        $0.beginRequest(remote, localPort: localPort)
                    }
                }
                handle.contextOptions.append(NK_CURLOPT_PREREQDATA)
            }
        }

        /// Sets the transfer as the context of the callbacks; the loop keeps it alive meanwhile.
        func setContext(_ handle: CurlHandle) {
            let pointer = Unmanaged.passUnretained(self).toOpaque()
            handle.easy.setPointer(NK_CURLOPT_PRIVATE, pointer)
            for option in handle.contextOptions { handle.easy.setPointer(option, pointer) }
        }

        /// Returns the transfer that is a handle's context, for a caller that is about to remove it from the loop.
        static func of(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
            context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
        }

        /// Calls a closure with the transfer that was set as a callback's context, without counting a reference to it.
        ///
        /// The loop holds the transfer while libcurl may call, and there are a dozen callbacks for each response.
        static func with<Result>(
            _ context: UnsafeMutableRawPointer?,
            else missing: Result,
            _ body: (CurlTransfer) -> Result
        ) -> Result {
            guard let context else { return missing }
            return Unmanaged<CurlTransfer>.fromOpaque(context)._withUnsafeGuaranteedRef(body)
        }

        /// Calls a closure with the core that holds the transfer, without counting a reference to it; returns `nil` if
        /// there is none.
        ///
        /// The underscored function of `Unmanaged` is safe only while something else owns the object: the loop's thread
        /// owns the core.
        @inline(__always)
        @discardableResult
        func withCore<Result>(_ body: (CurlLoopCore) -> Result) -> Result? {
            core?._withUnsafeGuaranteedRef(body)
        }
    }
#endif
