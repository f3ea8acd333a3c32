import Foundation

/// A temporary folder, which its creator removes.
struct ScratchFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "netkit-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    func remove() {
        try? FileManager.default.removeItem(at: url)
    }

    /// Creates a file of zeros, which takes no space on the disk.
    func sparseFile(_ name: String, size: Int) throws -> URL {
        let file = url.appending(path: name)
        try Data().write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        try handle.truncate(atOffset: UInt64(size))
        return file
    }
}
