/// A file or a part of one, as the body of a request.
///
/// It is a class, so that every body is as small as its most common kind.
final class FileRange: Sendable {
    let path: String
    let offset: Int64
    let length: Int64?
    let fileSystem: any FileSystem
    /// The status of the file when the call began; `nil` before.
    private let initial: FileStatus?

    init(
        path: String,
        offset: Int64,
        length: Int64?,
        fileSystem: any FileSystem = SystemFileSystem(),
        initial: FileStatus? = nil
    ) {
        self.path = path
        self.offset = offset
        self.length = length
        self.fileSystem = fileSystem
        self.initial = initial
    }

    /// Returns the range with its length known, or throws the reason why it cannot be sent.
    func settled() throws(NetKitError) -> FileRange {
        let status: FileStatus
        do {
            status = try fileSystem.status(of: path)
        } catch {
            throw NetKitError(.file, "The body cannot be read. \(error.explanation)", cause: error)
        }
        guard status.kind == .regular else {
            throw NetKitError(.file, "The body cannot be read: \"\(path)\" is not a regular file.")
        }
        // A later attempt would send the beginning of a longer file as the whole.
        if let initial, initial.identity != status.identity, initial.size != status.size {
            let problem = "\"\(path)\" was replaced by a file of another size after the call began."
            throw NetKitError(.file, "The body cannot be read: \(problem) Send the call again.")
        }
        let end = length.map { offset.addingSaturated($0) } ?? status.size
        guard offset >= 0, offset <= end, end <= status.size else {
            let wanted = "bytes \(offset)..<\(end)"
            throw NetKitError(.file, "The body cannot be read: \"\(path)\" has \(status.size) bytes, not \(wanted).")
        }
        return FileRange(
            path: path,
            offset: offset,
            length: end - offset,
            fileSystem: fileSystem,
            initial: initial ?? status
        )
    }
}
