import Foundation
import NetKit

/// A file that a command writes; a device or a pipe is written to as it is, because a file must not replace it.
struct OutputFile {
    private static let descriptors = "/dev/fd/"

    let path: String
    private let file: URL

    /// Creates a file at a path; `-` is standard output.
    init(_ path: String) throws {
        self.path = path == "-" ? "/dev/stdout" : path
        file = try .file(self.path)
    }

    /// Returns whether both are the same file, so that one output would replace the other or follow it; `/dev/null`
    /// takes any number.
    func isSame(as other: OutputFile) throws -> Bool {
        try identity == other.identity && identity != OutputFile("/dev/null").identity
    }

    /// The number of the file or, if it is not there yet, its path.
    private var identity: String {
        var info = stat()
        if stat(path, &info) == 0 { return "\(info.st_dev) \(info.st_ino)" }
        // Links are followed only in the path of something that exists.
        let folder = file.deletingLastPathComponent().resolvingSymlinksInPath()
        return folder.appending(path: file.lastPathComponent).path(percentEncoded: false)
    }

    /// Writes a body, and returns its size.
    func save(_ body: ResponseBody) async throws -> Int64 {
        guard isWrittenInPlace else { return try await body.save(to: file) }
        let output = try open()
        var size: Int64 = 0
        for try await chunk in body {
            size += Int64(chunk.count)
            try write(chunk, to: output)
        }
        return size
    }

    /// Writes the exchanges of a recorder; only the user can read a new file.
    func save(_ recorder: HARRecorder) async throws {
        guard isWrittenInPlace else { return try await recorder.write(to: file) }
        _ = try await save(ResponseBody(recorder.data()))
    }

    func write(_ data: Data, to file: FileHandle) throws {
        do {
            try file.write(contentsOf: data)
        } catch {
            throw problem(error)
        }
    }

    /// Whether there is something else than a file, or a link that stands for an output of the process.
    private var isWrittenInPlace: Bool {
        if ["/dev/stdout", "/dev/stderr"].contains(path) || path.hasPrefix(Self.descriptors) { return true }
        var info = stat()
        guard stat(path, &info) == 0 else { return false }
        return info.st_mode & S_IFMT != S_IFREG && info.st_mode & S_IFMT != S_IFDIR
    }

    private func open() throws -> FileHandle {
        switch path {
        case "/dev/stdout": return .standardOutput
        case "/dev/stderr": return .standardError
        case _ where path.hasPrefix(Self.descriptors): return try inherited()
        default:
            do {
                return try FileHandle(forWritingTo: file)
            } catch {
                throw problem(error)
            }
        }
    }

    /// Returns the descriptor that the path names.
    ///
    /// Opening the path would write from the start of the file instead of where the descriptor is. A descriptor that
    /// the process opened for itself, such as a socket, is closed on exec and therefore refused.
    private func inherited() throws -> FileHandle {
        guard let number = Int32(path.dropFirst(Self.descriptors.count)), case let flags = fcntl(number, F_GETFD),
            flags >= 0, flags & FD_CLOEXEC == 0
        else {
            let message = "Could not write to \"\(path)\": the command was started without this descriptor."
            throw NetKitError(.file, message, outcome: .answered)
        }
        return FileHandle(fileDescriptor: number, closeOnDealloc: false)
    }

    private func problem(_ error: any Error) -> NetKitError {
        .ofFile("write to", path, error).with(outcome: .answered)
    }
}

extension URL {
    /// Returns the file or the folder that an argument names.
    static func file(_ path: String) throws -> URL {
        // The path of an unset variable would be the working directory.
        guard !path.isEmpty else { throw UsageError(message: "the path of a file or folder is empty.") }
        let file = URL(fileURLWithPath: path)
        // In a working directory that was removed, a relative path gives no file URL.
        guard file.isFileURL else {
            let problem = "the working directory was removed. Change to another one, or give an absolute path"
            throw NetKitError(.file, "Could not find \"\(path)\": \(problem).")
        }
        return file
    }

    /// Creates a folder and those above it if they are missing; only the user can read them.
    func makeFolder() throws {
        do {
            let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
            try FileManager.default.createDirectory(at: self, withIntermediateDirectories: true, attributes: attributes)
        } catch {
            throw NetKitError.ofFile("create the folder", path(percentEncoded: false), error)
        }
    }
}

extension NetKitError {
    /// Returns the error of an operation of Foundation on a file, with the reason of the system.
    static func ofFile(_ operation: String, _ path: String, _ error: any Error) -> NetKitError {
        let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error
        let system = (underlying ?? error) as NSError
        let reason = system.domain == NSPOSIXErrorDomain ? String(cString: strerror(Int32(system.code))) : "\(error)"
        return NetKitError(.file, "Could not \(operation) \"\(path)\": \(reason).", cause: error)
    }
}
