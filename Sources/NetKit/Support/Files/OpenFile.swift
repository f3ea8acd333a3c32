#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// An open file, which is closed with its last reference.
final class OpenFile: Sendable {
    let descriptor: Int32
    let path: String
    /// The identity of the file, after it was first looked up; it never changes while the file is open.
    let identity = Locked<FileIdentity?>(nil)

    private let isLockable: Bool

    /// Creates one; a lock that it may have is given up when it is closed.
    init(descriptor: Int32, path: String, isLockable: Bool = false) {
        self.descriptor = descriptor
        self.path = path
        self.isLockable = isLockable
    }

    deinit {
        // A process that is being started has the descriptor too until it runs its program, and the lock with it.
        if isLockable {
            _ = flock(descriptor, LOCK_UN)
            FileLock.release(descriptor)
        }
        if descriptor >= 0 { _ = close(descriptor) }
    }
}

/// A file on this machine, whatever its path is by now.
struct FileIdentity: Equatable {
    let inode: UInt64
    let device: UInt64
}
