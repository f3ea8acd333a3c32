import Foundation

extension FileError {
    /// Whether there is nothing at the path.
    var isMissing: Bool { code == ENOENT }

    /// Whether there is a folder at the path, and the operation needs a file.
    var isFolder: Bool { code == EISDIR }

    /// Whether there is already a file at the path.
    var alreadyExists: Bool { code == EEXIST }

    /// Whether another opening of the file has its lock.
    var isLocked: Bool { code == EWOULDBLOCK }

    /// The message with the advice for the operator of the process.
    var explanation: String {
        guard let shortage = SystemShortage.explanation(of: code) else { return "\(message) \(remedy)" }
        return FileError(operation: operation, path: path, code: code, reason: shortage).message
    }

    private var remedy: String {
        switch code {
        case ENOSPC: "Make room on the disk."
        case EDQUOT: "Raise the quota or make room."
        case EFBIG: "Raise the limit for the size of files."
        case EROFS: "Mount the file system for writing."
        case EACCES, EPERM: "Give the process the right to read and write there."
        case ENOENT, ENOTDIR: "Check the path."
        case EIO: "Check the disk."
        // A file that is mounted into a container cannot be replaced.
        case EBUSY: "If the file is a mount of its own, mount its folder instead."
        default: "Check the disk and the folder."
        }
    }
}
