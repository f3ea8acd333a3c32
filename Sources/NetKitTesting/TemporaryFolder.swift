package import Foundation

/// A folder of a test's own, which goes with its owner.
package final class TemporaryFolder: Sendable {
    package let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "netkit-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    package var path: String { url.path(percentEncoded: false) }

    /// What is in the folder, hidden files included.
    package var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }

    package func file(_ name: String) -> URL { url.appending(path: name) }

    /// Writes a file, and gives its place.
    package func write(_ data: Data, to name: String) throws -> URL {
        let file = file(name)
        try data.writeUnsynced(to: file)
        return file
    }
}
