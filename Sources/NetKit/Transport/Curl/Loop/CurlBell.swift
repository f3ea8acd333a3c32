#if canImport(Glibc) || canImport(Musl)
    import CNetKitSystem
    import Synchronization

    /// What a caller that waits for its answer hears when another one comes.
    final class CurlBell: Sendable {
        let descriptor: Int32
        private let isHeard = Atomic<Bool>(false)

        init() throws(NetKitError) {
            descriptor = nk_eventfd_create()
            guard descriptor >= 0 else { throw CurlLoop.noResources("event descriptor") }
        }

        deinit { nk_close(descriptor) }

        /// Somebody waits; what was handed over before this, it has to look for itself.
        func noteWaiting() {
            isHeard.store(true, ordering: .sequentiallyConsistent)
        }

        func noteOver() {
            isHeard.store(false, ordering: .sequentiallyConsistent)
        }

        /// False where nobody waits.
        func ringIfWaiting() -> Bool {
            guard isHeard.exchange(false, ordering: .sequentiallyConsistent) else { return false }
            nk_eventfd_signal(descriptor)
            return true
        }
    }
#endif
