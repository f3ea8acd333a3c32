import Foundation

/// An open file, which is closed with its last reference.
final class OpenFile: Sendable {
    let descriptor: Int32
    let path: String
    /// The identity of the file, after it was first looked up; it never changes while the file is open.
    let identity = Locked<FileIdentity?>(nil)

    private let isLockable: Bool

    /// Creates an open file; a lockable one releases its lock when it is closed.
    init(descriptor: Int32, path: String, isLockable: Bool = false) {
        self.descriptor = descriptor
        self.path = path
        self.isLockable = isLockable
    }

    deinit {
        // A process that is being started shares the descriptor and the lock until it runs its program.
        if isLockable {
            _ = flock(descriptor, LOCK_UN)
            FileLock.release(descriptor)
        }
        if descriptor >= 0 { _ = close(descriptor) }
    }
}

/// The identity of a file on this machine, independent of its path.
struct FileIdentity: Equatable {
    let inode: UInt64
    let device: UInt64
}
