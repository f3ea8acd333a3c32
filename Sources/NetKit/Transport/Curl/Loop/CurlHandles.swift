#if canImport(Glibc) || canImport(Musl)
    /// A loop's handles between two transfers.
    ///
    /// Callers make, set up and free them, so that the loop's thread has less to do.
    final class CurlHandles: Sendable {
        private static let bound = 256

        private let library: CurlLibrary
        private let idle = Locked<[CurlHandle]>([])

        init(_ library: CurlLibrary) {
            self.library = library
        }

        /// A handle on which nothing is set but what stays; nil where libcurl has no memory for one.
        func take() -> CurlHandle? {
            idle.withLock { $0.popLast() } ?? CurlHandle(library)
        }

        /// Takes back a handle that belongs to no set any more.
        func giveBack(_ handle: CurlHandle) {
            handle.renew()
            idle.withLock { if $0.count < Self.bound { $0.append(handle) } }
        }
    }
#endif
