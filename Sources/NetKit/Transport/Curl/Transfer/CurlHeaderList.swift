#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl

    /// Header lines that every transfer of a loop may point to.
    ///
    /// `@unchecked Sendable` because of its C pointers, without a lock: the list is created once, then only read, and
    /// freed with the loop.
    final class CurlHeaderList: @unchecked Sendable {
        /// A line that keeps libcurl from sending an `Accept` of its own.
        static let noAccept = "Accept:"

        let list: UnsafeMutablePointer<nk_curl_slist>?
        private let functions: UnsafePointer<nk_curl_api>

        init(_ lines: [String], _ functions: UnsafePointer<nk_curl_api>) throws(NetKitError) {
            self.functions = functions
            list = try functions.list(of: lines)
        }

        deinit { functions.pointee.slist_free_all(list) }
    }

    extension UnsafePointer<nk_curl_api> {
        /// Returns a list with copies of all lines, or throws an error.
        func list(of lines: [String]) throws(NetKitError) -> UnsafeMutablePointer<nk_curl_slist>? {
            var list: UnsafeMutablePointer<nk_curl_slist>?
            for line in lines {
                guard let longer = pointee.slist_append(list, line) else {
                    pointee.slist_free_all(list)
                    throw CurlLoop.noResources("memory for a header line")
                }
                list = longer
            }
            return list
        }
    }
#endif
