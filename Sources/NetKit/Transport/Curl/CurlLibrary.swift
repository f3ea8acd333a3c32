#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl

    /// The libcurl of this process: its functions and its version.
    ///
    /// `@unchecked Sendable` because of its C pointers: `functions` and `openSSL` are filled once and never changed, so
    /// no lock is needed.
    final class CurlLibrary: @unchecked Sendable {
        let functions: UnsafePointer<nk_curl_api>
        /// The version as one number, such as 0x075801 for 7.88.1.
        let number: UInt32
        /// The version as text, with the versions of the libraries that libcurl uses.
        let version: String

        /// The functions for inspecting its TLS library; `nil` if that is not OpenSSL.
        let openSSL: UnsafePointer<nk_tls_api>?

        /// The first versions in which features work; in older ones, a feature is missing or implemented differently.
        enum Since {
            /// The oldest version that is used at all.
            static let usable: UInt32 = 0x07_44_00
            /// Addresses for a name that expire, so that names can be resolved outside of libcurl.
            static let agingAddresses: UInt32 = 0x07_4B_00
            /// CA certificates from memory.
            static let caFromMemory: UInt32 = 0x07_4D_00
            /// The callback before a request is sent, which reports that a connection is established, and its address.
            static let beforeRequest: UInt32 = 0x07_50_00
            /// A store of CA certificates that is parsed once, not for each connection.
            static let caCache: UInt32 = 0x07_57_00
            /// The rewritten HTTP/2, with buffers for each stream.
            static let streamBuffers: UInt32 = 0x08_03_00
        }

        /// Whether the end of a transfer leaves something behind on an HTTP/2 connection that others use.
        ///
        /// The reset of its stream waits until something else is written, a request that waits to be written keeps a
        /// pointer to the handle, and the handle keeps its buffer. A head that is larger than that buffer arrives in
        /// the wrong order, or not at all.
        var leavesStateBehind: Bool { number < Since.streamBuffers }

        /// Whether a response whose first header line is folded has to be kept from libcurl.
        ///
        /// From 7.83 to 8.0, a handle keeps a dangling pointer to the last header of the previous transfer, and such a
        /// response makes libcurl write to that memory (fixed in 8.1).
        var mustNotSeeFoldAtStart: Bool { (0x07_53_00..<0x08_01_00).contains(number) }

        /// Returns whether a version counts the bytes of a request that it has sent; 8.7 does not (fixed in 8.8).
        static func countsRequests(_ number: UInt32) -> Bool { !(0x08_07_00..<0x08_08_00).contains(number) }

        /// Whether libcurl can be given addresses, so that it need not resolve names.
        var takesAddresses: Bool { number >= Since.agingAddresses }

        private init(_ functions: UnsafePointer<nk_curl_api>, number: UInt32, version: String) {
            self.functions = functions
            openSSL = Self.openSSL(of: functions)
            self.number = number
            self.version = version
        }

        private static func openSSL(of functions: UnsafePointer<nk_curl_api>) -> UnsafePointer<nk_tls_api>? {
            // Never freed, like the functions of libcurl.
            let api = UnsafeMutablePointer<nk_tls_api>.allocate(capacity: 1)
            if nk_tls_load(functions, api) != 0 { return UnsafePointer(api) }
            api.deallocate()
            return nil
        }

        /// The library that the process has loaded or the system finds, once it is known.
        private static let found = Locked<CurlLibrary?>(nil)

        /// Returns the library that the process has loaded or the system finds.
        ///
        /// A failure is not remembered, because it may come from a lack of file descriptors or memory that passes.
        static func standard() -> Result<CurlLibrary, CurlUnavailable> {
            // Loaded under the lock: before 7.84, two threads must not initialize libcurl at the same time.
            found.withLock { found -> Result<CurlLibrary, CurlUnavailable> in
                if let found { return .success(found) }
                let result = find(path: nil)
                found = try? result.get()
                return result
            }
        }

        /// Loads a library; `nil` searches the process, and then for `libcurl.so.4`.
        static func find(path: String?) -> Result<CurlLibrary, CurlUnavailable> {
            // Never freed after a success: the functions stay in use until the process ends.
            let functions = UnsafeMutablePointer<nk_curl_api>.allocate(capacity: 1)
            let result = Result { () throws(CurlUnavailable) in try load(path: path, into: functions) }
            if case .failure = result { functions.deallocate() }
            return result
        }

        private static func load(
            path: String?,
            into functions: UnsafeMutablePointer<nk_curl_api>
        ) throws(CurlUnavailable) -> CurlLibrary {
            var reason = [CChar](repeating: 0, count: 512)
            let shown = path ?? "libcurl.so.4"
            let result = nk_curl_load(path, functions, &reason, reason.count)
            guard result == nk_load_ok else {
                throw CurlUnavailable(
                    reason: "\(shown) cannot be used: \(Self.text(reason))",
                    isLocalShortage: result == nk_load_no_resources
                )
            }
            // FoundationNetworking may initialize libcurl too; libcurl counts the calls, from 7.84 on under a lock.
            guard functions.pointee.global_init(Int(NK_CURL_GLOBAL_DEFAULT)) == Int32(NK_CURLE_OK) else {
                throw CurlUnavailable(reason: "\(shown) could not be initialized.")
            }
            let info = functions.pointee.version_info(Int32(NK_CURL_VERSION_NOW))
            let number = info?.pointee.number ?? 0
            let version = functions.pointee.version().map { String(cString: $0) } ?? "unknown"
            guard number >= Since.usable else {
                throw CurlUnavailable(reason: "\(shown) is \(version); 7.68 or newer is needed.")
            }
            return CurlLibrary(functions, number: number, version: version)
        }

        private static func text(_ characters: [CChar]) -> String {
            String(decoding: characters.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
        }
    }

    /// The reason why libcurl cannot be used.
    struct CurlUnavailable: Error {
        let reason: String
        /// Whether the cause is a lack of resources on this machine, which may pass.
        var isLocalShortage = false

        /// The error of a transport that cannot be created for this reason.
        var transportError: NetKitError {
            let message = "libcurl cannot be used. \(reason)"
            return isLocalShortage
                ? NetKitError(.connect, message, cause: LocalShortage()) : NetKitError(.unsupported, message)
        }
    }
#endif
