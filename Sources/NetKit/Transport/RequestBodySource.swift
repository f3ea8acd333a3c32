import Foundation

/// The bytes of a request's body in memory or in files, which can be read at once and from any position.
struct RequestBodySource: Sendable {
    enum Storage {
        case bytes(Data)
        case file(OpenFile, offset: Int64, any FileSystem)
        case joined(JoinedBodySource)
    }

    /// The number of bytes of a stream that are kept in memory; a longer one goes through a file.
    private static let maxMemoryBytes = 256 << 10

    let storage: Storage
    let length: Int64

    /// Reads up to the buffer's size from a position of the body, and returns the number of bytes; 0 is the end.
    ///
    /// A file that became shorter is an error: the length was already announced.
    func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws -> Int {
        let wanted = Int(min(Int64(buffer.count), length - position))
        guard wanted > 0, position >= 0 else { return 0 }
        switch storage {
        case .bytes(let data):
            data.copyBytes(to: buffer, from: data.startIndex + Int(position)..<data.startIndex + Int(position) + wanted)
            return wanted
        case .file(let file, let offset, let fileSystem):
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
            let count = try fileSystem.read(file, into: part, at: offset + position)
            guard count > 0 else {
                let message = "\"\(file.path)\" became shorter while it was being sent."
                throw NetKitError(.file, message, outcome: .unknown)
            }
            return count
        case .joined(let parts): return try parts.read(into: buffer, at: position)
        }
    }

    /// Creates a source of a body; a stream is read to its end first, because Foundation's queue cannot wait for it.
    static func make(
        of body: HTTPBody,
        streamBound: Int64,
        fileSystem: any FileSystem = SystemFileSystem()
    ) async throws -> RequestBodySource {
        if let source = try readable(body) { return source }
        return try await collect(body, bound: streamBound, fileSystem: fileSystem)
    }

    /// Creates a source of a body; `nil` if it is a stream, or one of its parts is.
    static func readable(_ body: HTTPBody) throws -> RequestBodySource? {
        if let bytes = body.bytes { return RequestBodySource(storage: .bytes(bytes), length: Int64(bytes.count)) }
        if let range = body.fileRange { return try file(range) }
        return body.parts == nil ? nil : try JoinedBodySource(body.pieces)?.source
    }

    /// Opens a file, and creates a source of its bytes.
    static func file(_ range: FileRange) throws -> RequestBodySource {
        let settled = try range.settled()
        let file = try settled.fileSystem.openForReading(settled.path)
        let storage = Storage.file(file, offset: settled.offset, settled.fileSystem)
        return RequestBodySource(storage: storage, length: settled.length ?? 0)
    }

    private static func collect(
        _ body: HTTPBody,
        bound: Int64,
        fileSystem: any FileSystem
    ) async throws -> RequestBodySource {
        if let length = body.length { try check(length, bound) }
        var start = Data()
        var spool: Spool?
        var length: Int64 = 0
        for try await chunk in body.chunks {
            length = length.addingSaturated(Int64(chunk.count))
            try check(length, bound)
            if let spool {
                try spool.append(chunk)
            } else if length <= Int64(maxMemoryBytes) {
                start.append(chunk)
            } else {
                spool = try Spool(fileSystem)
                try spool?.append(start)
                try spool?.append(chunk)
                start = Data()
            }
        }
        guard let spool else { return RequestBodySource(storage: .bytes(start), length: length) }
        return RequestBodySource(storage: .file(spool.readable, offset: 0, fileSystem), length: length)
    }

    private static func check(_ length: Int64, _ bound: Int64) throws {
        guard length > bound else { return }
        let message = "URLSessionTransport reads a body stream to its end before sending it, \(bound) bytes at most."
        let hint = "Raise `limits.maxRequestStream`, send a file, or use another transport."
        throw NetKitError(.unsupported, "\(message) \(hint)")
    }
}

/// A temporary file without a name, which disappears with its owner.
private struct Spool {
    let readable: OpenFile
    private let writable: OpenFile
    private let fileSystem: any FileSystem

    init(_ fileSystem: any FileSystem) throws {
        let name = "netkit-\(UUID().uuidString).body"
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(name).path(percentEncoded: false)
        writable = try fileSystem.create(path, permissions: 0o600)
        defer { try? fileSystem.remove(path) }
        readable = try fileSystem.openForReading(path)
        self.fileSystem = fileSystem
    }

    func append(_ chunk: Data) throws {
        try fileSystem.writeAll(chunk, to: writable)
    }
}
