#if canImport(Glibc) || canImport(Musl)
    /// A loop's handles between two transfers.
    struct CurlHandles {
        private static let bound = 256

        private let library: CurlLibrary
        private var idle: [CurlHandle] = []

        init(_ library: CurlLibrary) {
            self.library = library
        }

        /// A handle on which nothing is set; nil where libcurl has no memory for one.
        mutating func take() -> CurlHandle? {
            idle.popLast() ?? CurlHandle(library)
        }

        /// Takes back a handle that belongs to no set any more.
        mutating func giveBack(_ handle: CurlHandle) {
            guard library.canReuseHandles, idle.count < Self.bound else { return }
            handle.reset()
            idle.append(handle)
        }
    }
#endif
