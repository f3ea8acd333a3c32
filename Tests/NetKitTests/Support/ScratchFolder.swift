import Foundation

/// A folder of a test's own, gone when the test is over.
final class ScratchFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("netkit-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// What is in the folder, hidden files included.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }

    var path: String { url.path(percentEncoded: false) }

    func file(_ name: String) -> URL {
        url.appendingPathComponent(name)
    }

    func write(_ bytes: Data, to name: String) throws -> URL {
        try bytes.write(to: file(name))
        return file(name)
    }
}
