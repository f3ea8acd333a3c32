#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl

    /// A transfer's handle and the options that are set on it.
    ///
    /// The result of setting an option is checked if the option prevents something, or if a text is copied, for which
    /// there may be no memory.
    struct CurlEasy {
        let functions: UnsafePointer<nk_curl_api>
        let handle: OpaquePointer

        @discardableResult
        func set(_ option: Int, _ value: Int) -> Bool {
            nk_curl_set_long(functions, handle, Int32(option), value) == Int32(NK_CURLE_OK)
        }

        @discardableResult
        func set(_ option: Int, _ isOn: Bool) -> Bool {
            set(option, isOn ? 1 : 0)
        }

        func setOffset(_ option: Int, _ value: Int64) {
            _ = nk_curl_set_offset(functions, handle, Int32(option), value)
        }

        @discardableResult
        func set(_ option: Int, _ text: String?) -> Bool {
            guard let text else { return set(option, cString: nil) }
            // A text that is passed directly as a pointer would be copied first.
            return text.withCString { set(option, cString: $0) }
        }

        private func set(_ option: Int, cString: UnsafePointer<CChar>?) -> Bool {
            nk_curl_set_text(functions, handle, Int32(option), cString) == Int32(NK_CURLE_OK)
        }

        func setPointer(_ option: Int, _ pointer: UnsafeMutableRawPointer?) {
            _ = nk_curl_set_pointer(functions, handle, Int32(option), pointer)
        }

        /// Sets a callback for bytes.
        func setData(_ option: Int, _ callback: nk_curl_data_callback) {
            _ = nk_curl_set_data_callback(functions, handle, Int32(option), callback)
        }

        /// Sets an option to a copy of bytes, and returns whether the library knows the option.
        @discardableResult
        func setBlob(_ option: Int, _ bytes: UnsafeRawBufferPointer) -> Bool {
            var blob = nk_curl_blob(
                data: UnsafeMutableRawPointer(mutating: bytes.baseAddress),
                length: bytes.count,
                flags: UInt32(NK_CURL_BLOB_COPY)
            )
            return nk_curl_set_blob(functions, handle, Int32(option), &blob) == Int32(NK_CURLE_OK)
        }

        func long(_ info: Int) -> Int {
            var value = 0
            _ = nk_curl_get_long(functions, handle, Int32(info), &value)
            return value
        }

        func offset(_ info: Int) -> Int64 {
            var value: Int64 = 0
            _ = nk_curl_get_offset(functions, handle, Int32(info), &value)
            return value
        }

        func text(_ info: Int) -> String? {
            var value: UnsafePointer<CChar>?
            _ = nk_curl_get_text(functions, handle, Int32(info), &value)
            return value.map { String(cString: $0) }
        }

        func pointer(_ info: Int) -> UnsafeMutableRawPointer? {
            var value: UnsafeMutableRawPointer?
            _ = nk_curl_get_pointer(functions, handle, Int32(info), &value)
            return value
        }

        /// OpenSSL's object for the connection of a running transfer.
        var openSSLConnection: UnsafeMutableRawPointer? {
            var info: UnsafePointer<nk_tls_session_info>?
            guard nk_curl_get_tls(functions, handle, &info) == Int32(NK_CURLE_OK), let info,
                info.pointee.backend == Int32(NK_TLS_BACKEND_OPENSSL)
            else { return nil }
            return info.pointee.connection
        }

        /// Resumes a paused transfer in both directions.
        func resume() {
            _ = functions.pointee.easy_pause(handle, Int32(NK_CURLPAUSE_CONT))
        }
    }
#endif
