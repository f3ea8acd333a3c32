#if canImport(Glibc) || canImport(Musl)
    import Synchronization

    /// Whether many transfers went on at once of late, so that callers leave theirs to the loop's thread.
    ///
    /// Where many call at once the thread hardly sleeps: a caller that took the loop's turn then would only take from one
    /// core what is in the other one's cache.
    struct CurlCrowd: ~Copyable, Sendable {
        private static let size = 4
        /// How many transfers in a row have to begin outside of a crowd until it is over.
        private static let memory = 64

        private let left = Atomic<Int>(0)

        var isThere: Bool { left.load(ordering: .relaxed) > 0 }

        /// Notes a transfer that begins; by whoever has the turn.
        func noteBegun(among count: Int) {
            let left = left.load(ordering: .relaxed)
            if count >= Self.size {
                self.left.store(Self.memory, ordering: .relaxed)
            } else if left > 0 {
                self.left.store(left - 1, ordering: .relaxed)
            }
        }
    }
#endif
