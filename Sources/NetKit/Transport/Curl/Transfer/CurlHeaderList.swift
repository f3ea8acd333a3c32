#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl

    /// Header lines that every transfer of a loop may point to.
    ///
    /// `@unchecked Sendable` at the bridge to C without a lock: made once, only read then, freed with the loop.
    final class CurlHeaderList: @unchecked Sendable {
        /// Keeps libcurl from sending an `Accept` of its own.
        static let noAccept = "Accept:"

        let list: UnsafeMutablePointer<nk_curl_slist>?
        private let functions: UnsafePointer<nk_curl_api>

        init(_ lines: [String], _ functions: UnsafePointer<nk_curl_api>) {
            self.functions = functions
            list = functions.list(of: lines)
        }

        deinit { functions.pointee.slist_free_all(list) }
    }

    extension UnsafePointer<nk_curl_api> {
        /// A list of copies; where memory is short, of those there was memory for.
        func list(of lines: [String]) -> UnsafeMutablePointer<nk_curl_slist>? {
            var list: UnsafeMutablePointer<nk_curl_slist>?
            for line in lines {
                if let longer = pointee.slist_append(list, line) { list = longer }
            }
            return list
        }
    }
#endif
