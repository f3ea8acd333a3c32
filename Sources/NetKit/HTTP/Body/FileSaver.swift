import Foundation

/// Writes a body to a file so that no reader ever sees half of it, and nothing is left behind when it fails.
struct FileSaver {
    let destination: URL
    var limit: Int64 = .max
    var fileSystem: any FileSystem = SystemFileSystem()
    var random: RandomSource = .system

    func save(_ body: ResponseBody) async throws -> Int64 {
        guard destination.isFileURL else {
            body.discardUnlessRead()
            throw NetKitError(.file, "The body can only be saved to a file URL.", outcome: .answered)
        }
        let path = destination.path(percentEncoded: false)
        // Not made from the destination's own name, which may be as long as the disk allows.
        let name = ".netkit-\(random.next() >> 16).part"
        let temporary = destination.deletingLastPathComponent().appendingPathComponent(name).path(percentEncoded: false)
        do {
            if let status = try? fileSystem.status(of: path), status.kind == .directory {
                throw NetKitError(.file, "\"\(path)\" is a folder; name a file in it.", outcome: .answered)
            }
            return try await write(body, temporary: temporary, path: path)
        } catch {
            body.discardUnlessRead()
            throw ErrorBoundary.outward(error, outcome: .answered)
        }
    }

    private func write(_ body: ResponseBody, temporary: String, path: String) async throws -> Int64 {
        let file = try fileSystem.create(temporary, permissions: 0o666)
        do {
            var written: Int64 = 0
            for try await chunk in body {
                guard Int64(chunk.count) <= limit - written else {
                    throw ResponseBody.tooLarge(Int(clamping: limit), declared: nil)
                }
                try chunk.withUnsafeBytes { try fileSystem.writeAll($0, to: file) }
                written += Int64(chunk.count)
            }
            try fileSystem.rename(temporary, to: path)
            return written
        } catch {
            try? fileSystem.remove(temporary)
            throw error
        }
    }
}
