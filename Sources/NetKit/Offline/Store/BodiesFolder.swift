import Dispatch
import Foundation

/// The folder beside the journal, with a file for each body or other large part of an entry.
struct BodiesFolder: Sendable {
    /// The size above which data gets its own file.
    static let inlineLimit = 64 << 10

    let folder: String
    let fileSystem: any DurableFileSystem
    let seal: RecordSeal?
    let shared: JournalShared
    /// The queue for copies, which are slow: neither the journal nor the threads for tasks may wait for them.
    private let queue = DispatchQueue(label: "netkit.queue.bodies")
    /// The queue for reads, which check every byte and must not wait for a copy.
    let readers = DispatchQueue(label: "netkit.queue.reads", attributes: .concurrent)

    /// Returns whether a body gets its own file.
    static func takes(_ body: HTTPBody?) -> Bool {
        guard let body else { return false }
        return body.fileRange != nil || body.bytes.map(takes) ?? false
    }

    /// Returns whether a part of a request gets its own file.
    static func takes(_ data: Data) -> Bool { data.count > inlineLimit }

    /// Stores the large parts of a request, each in a file.
    ///
    /// The current files of the entry stay unchanged until the request is written. It throws `FileError` if the disk
    /// fails, or `NetKitError` for a file that cannot be taken over.
    func keep(_ request: QueuedRequest, besides current: EntryFiles) async throws -> EntryFiles {
        try await queue.run {
            shared.entriesWithFiles.withLock { _ = $0.insert(request.id) }
            var files = EntryFiles()
            if Self.takes(request.body), let body = request.body {
                if let file = current.body, body.fileRange?.path == "\(folder)/\(file.name)" {
                    files.body = file
                } else if let range = body.fileRange {
                    let name = Self.name(of: request.id, "body", besides: current.body)
                    files.body = try keep(range, as: name, takes: request.takesFile)
                } else if let bytes = body.bytes {
                    files.body = try keep(bytes, as: Self.name(of: request.id, "body", besides: current.body))
                }
            }
            if let data = request.baseData, Self.takes(data) {
                files.base = try keep(data, as: Self.name(of: request.id, "base", besides: current.base))
            }
            return files
        }
    }

    /// Stores the details of an entry in a file.
    func keep(detail: Data, of id: UUID, besides current: EntryFile?) async throws -> EntryFile {
        try await queue.run {
            shared.entriesWithFiles.withLock { _ = $0.insert(id) }
            return try keep(detail, as: Self.name(of: id, "detail", besides: current))
        }
    }

    /// Returns whether an entry may have files.
    func hasFiles(_ id: UUID) -> Bool { shared.entriesWithFiles.withLock { $0.contains(id) } }

    private static let parts = ["body", "base", "detail"]

    /// Returns the two names of a part, so that a new version never replaces the one that the journal still names.
    private static func names(of id: UUID, _ part: String) -> [String] {
        ["\(id.uuidString).\(part)", "\(id.uuidString).2.\(part)"]
    }

    private static func name(of id: UUID, _ part: String, besides current: EntryFile?) -> String {
        let names = names(of: id, part)
        return current?.name == names[0] ? names[1] : names[0]
    }

    /// Returns the entry that a file belongs to; `nil` for any other file.
    static func entry(ofFile name: String) -> UUID? { UUID(uuidString: String(name.prefix(36))) }

    /// Returns the body of an entry as it is sent, after a check of every byte.
    ///
    /// With a seal, it is in memory, even if the file was written before there was one, so that it is sealed if the
    /// entry is written again.
    func body(_ file: EntryFile, isSealed: Bool, contentType: String?) throws -> HTTPBody {
        guard seal != nil else {
            try check(file)
            return .file(at: URL(fileURLWithPath: "\(folder)/\(file.name)"), contentType: contentType)
        }
        return .data(try data(file, isSealed: isSealed), contentType: contentType)
    }

    /// Returns the content of a file, which is sealed if the record that names it is.
    func data(_ file: EntryFile, isSealed: Bool) throws -> Data {
        try check(file)
        let path = "\(folder)/\(file.name)"
        let size = try fileSystem.status(of: path).size
        let bytes = Data(try fileSystem.readAll(fileSystem.openForReading(path), at: 0, count: Int(clamping: size)))
        guard isSealed, let seal else { return bytes }
        return try seal.opened(bytes)
    }

    /// Checks that a file is unchanged; for files of version 1, only that it exists.
    func check(_ file: EntryFile) throws {
        do {
            guard let length = file.length else {
                _ = try fileSystem.status(of: "\(folder)/\(file.name)")
                return
            }
            let open = try fileSystem.openRegularFile("\(folder)/\(file.name)")
            let size = try fileSystem.status(of: open).size
            var problem = "it has \(size) bytes instead of \(length)"
            // The bytes of a file with another length are not read, because it may be much longer.
            if size == length {
                guard try describe(open, file.name) != file else { return }
                problem = "its bytes were changed"
            }
            throw StoredRequestDamage(message: "The file \(file.name) is damaged: \(problem).")
        } catch let error as FileError where error.isMissing {
            throw StoredRequestDamage(message: "The file \(file.name) is missing.")
        }
    }

    private func describe(_ file: OpenFile, _ name: String) throws -> EntryFile {
        var checksum = CRC32()
        var offset: Int64 = 0
        while true {
            let bytes = try fileSystem.readAll(file, at: offset, count: Self.piece)
            checksum.add(bytes)
            offset += Int64(bytes.count)
            if bytes.count < Self.piece { break }
        }
        return EntryFile(name: name, length: offset, checksum: checksum.value)
    }

    /// Removes the files of entries, except for some; a file that cannot be removed is removed at the next opening.
    ///
    /// Without `files`, the entries have left. If another one has the identifier of such an entry by now, the files
    /// are its own.
    func remove(_ ids: [UUID], except files: EntryFiles? = nil) async {
        let affected = shared.entriesWithFiles.withLock { entries in ids.filter { entries.contains($0) } }
        guard !affected.isEmpty else { return }
        let kept = [files?.body, files?.base, files?.detail].map { $0?.name }
        try? await queue.run {
            let gone = files == nil ? shared.index.withLock { index in affected.filter { index.isFree($0) } } : affected
            let all = gone.flatMap { id in Self.parts.flatMap { Self.names(of: id, $0) } }
            let names = all.filter { !kept.contains($0) }
            let present = names.map { "\(folder)/\($0)" }.filter { (try? fileSystem.status(of: $0)) != nil }
            for path in present { try fileSystem.remove(path) }
            if !present.isEmpty { try fileSystem.syncFolder(folder) }
            if files?.isEmpty ?? true { shared.entriesWithFiles.withLock { $0.subtract(gone) } }
        }
    }

    /// Removes single files, such as the details of entries that are revived.
    func remove(_ files: [EntryFile]) async {
        try? await queue.run {
            for file in files { try? fileSystem.remove("\(folder)/\(file.name)") }
            try fileSystem.syncFolder(folder)
        }
    }

    /// Removes the file from which a body was taken.
    func removeSource(_ path: String) async {
        try? await queue.run { try fileSystem.remove(path) }
    }

    private static let piece = 1 << 20

    private func keep(_ data: Data, as name: String) throws -> EntryFile {
        let bytes = try seal.map { try $0.seal(data) } ?? data
        return try replace(name) { write throws(FileError) in try write(Array(bytes)) }
    }

    private func keep(_ range: FileRange, as name: String, takes: Bool) throws -> EntryFile {
        let status = try fileSystem.status(ofLink: range.path)
        guard status.kind == .regular || !takes else {
            throw NetKitError(
                .invalidRequest,
                "\"\(range.path)\" is not a file but a link or something else, and cannot be taken. Give the path of the file."
            )
        }
        let size = try fileSystem.status(of: range.path).size
        let isWhole = range.offset == 0 && (range.length ?? size) == size
        // A file with other names could still be written to under those.
        if takes, isWhole, seal == nil, status.linkCount == 1, let taken = try? takeOver(range.path, as: name) {
            return taken
        }
        let source = try fileSystem.openForReading(range.path)
        let end = range.length.map { range.offset.addingSaturated($0) } ?? size
        if let seal {
            let count = Int(clamping: max(0, end - range.offset))
            guard let bytes = try fileSystem.readExactly(count, of: source, at: range.offset) else {
                throw Self.shortened(range.path)
            }
            let sealed = try seal.seal(bytes)
            return try replace(name) { write throws(FileError) in try write(Array(sealed)) }
        }
        return try replace(name) { write throws(FileError) in
            var offset = range.offset
            while offset < end {
                let bytes = try fileSystem.readAll(source, at: offset, count: Int(min(Int64(Self.piece), end - offset)))
                guard !bytes.isEmpty else { throw Self.shortened(range.path) }
                try write(bytes)
                offset += Int64(bytes.count)
            }
        }
    }

    private static func shortened(_ path: String) -> FileError {
        FileError(operation: "read", path: path, code: 0, reason: "the file is shorter now")
    }

    /// Gives a file a name in the folder, under which it is the queue's own; the user may only be allowed to read it.
    private func takeOver(_ path: String, as name: String) throws -> EntryFile {
        try fileSystem.link(path, to: "\(folder)/\(name)")
        let file = try fileSystem.openForReading("\(folder)/\(name)")
        try fileSystem.setPermissions(0o600, of: file)
        try fileSystem.sync(file)
        try fileSystem.syncFolder(folder)
        return try describe(file, name)
    }

    private func replace(
        _ name: String,
        _ fill: (_ write: ([UInt8]) throws(FileError) -> Void) throws(FileError) -> Void
    ) throws(FileError) -> EntryFile {
        _ = try fileSystem.makeFolder(folder)
        var checksum = CRC32()
        var length: Int64 = 0
        _ = try fileSystem.replaceFile("\(folder)/\(name)") { file throws(FileError) in
            try fill { bytes throws(FileError) in
                try fileSystem.writeAll(bytes, to: file, at: length)
                checksum.add(bytes)
                length += Int64(bytes.count)
            }
        }
        try fileSystem.syncFolder(folder)
        return EntryFile(name: name, length: length, checksum: checksum.value)
    }
}

/// A file beside the journal, with its length and checksum.
struct EntryFile: Sendable, Equatable {
    let name: String
    /// The length and the checksum; `nil` for a file of the user, and in journals of version 1.
    let length: Int64?
    let checksum: UInt32?
}

/// The files with the large parts of an entry.
struct EntryFiles: Sendable, Equatable {
    var body: EntryFile?
    /// The version that the change is based on.
    var base: EntryFile?
    /// The details of a dead letter or a conflict.
    var detail: EntryFile?

    var isEmpty: Bool { self == EntryFiles() }
}
