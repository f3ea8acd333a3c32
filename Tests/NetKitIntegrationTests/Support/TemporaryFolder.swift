import Foundation

/// A folder of a test's own, which goes with it.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "netkit-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The names of what is in it.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: url.path()).sorted() }
    }

    /// Writes a file, and gives its place.
    func write(_ data: Data, to name: String) throws -> URL {
        let file = url.appending(path: name)
        try data.write(to: file)
        return file
    }
}
