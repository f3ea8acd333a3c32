#if canImport(Glibc)
    import CNetKitSystem
    import Glibc
#elseif canImport(Musl)
    import CNetKitSystem
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A lock of a whole file, which open files share or hold alone, in this process and in others.
enum FileLock {
    /// Takes a share in the lock.
    static func share(_ descriptor: Int32) -> Bool {
        #if os(Linux)
            nk_share_lock(descriptor) == 0
        #else
            flock(descriptor, LOCK_SH) == 0
        #endif
    }

    /// Returns whether no other open file has the lock or a share in it.
    ///
    /// On Linux, the lock is not touched. `flock` would release it before it takes more, and two holders that ask at
    /// the same time would both seem alone.
    static func isOnlyHolder(_ descriptor: Int32) -> Bool {
        #if os(Linux)
            return nk_is_only_holder(descriptor) == 1
        #else
            let isAlone = flock(descriptor, LOCK_EX | LOCK_NB) == 0
            _ = flock(descriptor, LOCK_SH)
            return isAlone
        #endif
    }

    /// Releases the lock, even if a child process has not closed its copy of the descriptor yet.
    static func release(_ descriptor: Int32) {
        #if os(Linux)
            nk_unlock(descriptor)
        #else
            _ = flock(descriptor, LOCK_UN)
        #endif
    }
}
