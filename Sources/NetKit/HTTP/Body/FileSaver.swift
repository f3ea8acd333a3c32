import Foundation

/// Writes a body to a file atomically: a reader never sees a part of it, and a failure leaves no file.
struct FileSaver {
    let destination: URL
    var limit: Int64 = .max
    var permissions: UInt32 = 0o666
    var fileSystem: any FileSystem = SystemFileSystem()
    var random: RandomSource = .system

    func save(_ body: ResponseBody) async throws -> Int64 {
        guard destination.isFileURL else {
            body.discardUnlessRead()
            throw Self.notAFile(destination, outcome: .answered)
        }
        let path = destination.path(percentEncoded: false)
        // Not made from the destination's name, which may be as long as the disk allows.
        let name = ".netkit-\(random.next() >> 16).part"
        let temporary = destination.deletingLastPathComponent().appendingPathComponent(name).path(percentEncoded: false)
        do {
            try fileSystem.checkReplaceable(path, outcome: .answered)
            return try await write(body, temporary: temporary, path: path)
        } catch {
            body.discardUnlessRead()
            throw ErrorBoundary.outward(error, outcome: .answered)
        }
    }

    /// Returns the error for a destination that is not a file URL.
    static func notAFile(_ destination: URL, outcome: NetKitError.Outcome) -> NetKitError {
        let shown = NetKitError.oneLine(Redaction.withoutQuery(destination.absoluteString), limit: 200)
        let message = "The body can only be saved to a file URL, not to \"\(shown)\"."
        // That initializer makes no file URL of a relative path if the working directory was removed.
        let path = destination.scheme == nil ? " and an absolute path" : ""
        return NetKitError(.file, "\(message) Create one with URL(fileURLWithPath:)\(path).", outcome: outcome)
    }

    private func write(_ body: ResponseBody, temporary: String, path: String) async throws -> Int64 {
        let file = try fileSystem.create(temporary, permissions: permissions)
        do {
            var written: Int64 = 0
            for try await chunk in body {
                guard Int64(chunk.count) <= limit - written else {
                    throw ResponseBody.tooLarge(Int(clamping: limit), declared: nil)
                }
                try fileSystem.writeAll(chunk, to: file)
                written += Int64(chunk.count)
            }
            try fileSystem.confirmWrites(to: file)
            try fileSystem.rename(temporary, to: path)
            return written
        } catch {
            try? fileSystem.remove(temporary)
            throw error
        }
    }
}

extension FileSystem {
    /// Throws `.file` if a path is not free and not a regular file, because a rename would replace what is there.
    func checkReplaceable(_ path: String, outcome: NetKitError.Outcome) throws(NetKitError) {
        guard let kind = (try? status(of: path))?.kind, kind != .regular else { return }
        let problem =
            kind == .directory ? "is a folder; name a file in it." : "is not a regular file. Choose another path."
        throw NetKitError(.file, "\"\(path)\" \(problem)", outcome: outcome)
    }
}
