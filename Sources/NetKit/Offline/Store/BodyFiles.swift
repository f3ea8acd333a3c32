import Dispatch
import Foundation

/// The bodies that stand beside the journal, a file each.
struct BodyFiles: Sendable {
    /// From which size on bytes get a file of their own.
    static let inlineLimit = 64 << 10

    let folder: String
    let fileSystem: any DurableFileSystem
    let seal: RecordSeal?
    /// Copying takes its time, and neither the journal nor the threads for tasks shall wait for it.
    private let queue = DispatchQueue(label: "netkit.queue.bodies")

    init(folder: String, fileSystem: any DurableFileSystem, seal: RecordSeal?) {
        self.folder = folder
        self.fileSystem = fileSystem
        self.seal = seal
    }

    /// Whether a body gets a file of its own.
    static func takes(_ body: HTTPBody?) -> Bool {
        guard let body else { return false }
        return body.fileRange != nil || (body.bytes?.count ?? 0) > inlineLimit
    }

    /// Keeps a request's body where it is a file or large, and gives the name it has here.
    func keep(_ request: QueuedRequest) async throws -> String? {
        guard Self.takes(request.body), let body = request.body else { return nil }
        let range = body.fileRange
        // A body that stays while the rest of its entry changes is there already.
        let name = "\(request.id.uuidString).body"
        if let range, range.path == "\(folder)/\(name)" { return name }
        try await onQueue {
            _ = try fileSystem.makeFolder(folder, permissions: 0o700)
            if let range {
                try keep(range, as: name, takes: request.takesFile)
            } else if let bytes = body.bytes {
                let bytes = try seal.map { try $0.seal(bytes) } ?? bytes
                try replace(name) { file in
                    try bytes.withUnsafeBytes { try fileSystem.writeAll($0, to: file, at: 0) }
                }
            }
            try fileSystem.syncFolder(folder)
        }
        return name
    }

    /// The body of a name, as it is sent.
    func body(_ name: String, contentType: String?) throws -> HTTPBody {
        let path = "\(folder)/\(name)"
        guard let seal else { return .file(at: URL(fileURLWithPath: path), contentType: contentType) }
        let size = try fileSystem.status(of: path).size
        let file = try fileSystem.openForReading(path)
        let bytes = try fileSystem.readAll(file, at: 0, count: Int(clamping: size))
        return .data(try seal.open(Data(bytes)), contentType: contentType)
    }

    /// Removes the bodies of entries that are gone; one that stays because this fails is swept away at the next opening.
    func remove(_ ids: [UUID]) async {
        let names = ids.map { "\(folder)/\($0.uuidString).body" }
        let present = names.filter { (try? fileSystem.status(of: $0)) != nil }
        guard !present.isEmpty else { return }
        try? await onQueue {
            for path in present { try fileSystem.remove(path) }
            try fileSystem.syncFolder(folder)
        }
    }

    /// Removes the file that a body was taken from.
    func removeSource(_ path: String) async {
        try? await onQueue { try fileSystem.remove(path) }
    }

    private func keep(_ range: FileRange, as name: String, takes: Bool) throws {
        let size = try fileSystem.status(of: range.path).size
        let isWhole = range.offset == 0 && (range.length ?? size) == size
        if takes, isWhole, seal == nil, (try? fileSystem.link(range.path, to: "\(folder)/\(name)")) != nil {
            let file = try fileSystem.openForUpdate("\(folder)/\(name)", creating: nil)
            return try fileSystem.sync(file)
        }
        let source = try fileSystem.openForReading(range.path)
        let end = range.length.map { range.offset.addingSaturated($0) } ?? size
        try replace(name) { file in
            if let seal {
                let bytes = try fileSystem.readAll(source, at: range.offset, count: Int(clamping: end - range.offset))
                let sealed = try seal.seal(Data(bytes))
                return try sealed.withUnsafeBytes { try fileSystem.writeAll($0, to: file, at: 0) }
            }
            var offset = range.offset
            while offset < end {
                let bytes = try fileSystem.readAll(source, at: offset, count: Int(min(1 << 20, end - offset)))
                guard !bytes.isEmpty else {
                    throw FileError(operation: "read", path: range.path, code: 0, reason: "the file is shorter now")
                }
                try bytes.withUnsafeBytes { try fileSystem.writeAll($0, to: file, at: offset - range.offset) }
                offset += Int64(bytes.count)
            }
        }
    }

    private func replace(_ name: String, _ write: (OpenFile) throws -> Void) throws {
        let temporary = "\(folder)/\(name).tmp"
        try fileSystem.remove(temporary)
        do {
            let file = try fileSystem.openForUpdate(temporary, creating: 0o600)
            try write(file)
            try fileSystem.sync(file)
            try fileSystem.rename(temporary, to: "\(folder)/\(name)")
        } catch {
            try? fileSystem.remove(temporary)
            throw error
        }
    }

    private func onQueue<Success: Sendable>(_ body: @escaping @Sendable () throws -> Success) async throws -> Success {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result(catching: body)) }
        }
    }
}
