package import Foundation

/// A temporary folder for a test, which is removed with its owner.
package final class TemporaryFolder: Sendable {
    package let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "netkit-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    package var path: String { url.path(percentEncoded: false) }

    /// The names of the files in the folder, including hidden files.
    package var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }

    package func file(_ name: String) -> URL { url.appending(path: name) }

    /// Writes a file and returns its URL.
    package func write(_ data: Data, to name: String) throws -> URL {
        let file = file(name)
        try data.writeUnsynced(to: file)
        return file
    }
}

extension Data {
    /// Writes a file without waiting for the disk.
    ///
    /// `write(to:)` waits. On a machine with a busy disk it blocks a thread for seconds, and with it every test that
    /// waits for a thread.
    package func writeUnsynced(to file: URL) throws {
        let path = file.path(percentEncoded: false)
        guard let stream = fopen(path, "w") else { throw CocoaError(.fileWriteUnknown) }
        let count = withUnsafeBytes { bytes in bytes.baseAddress.map { fwrite($0, 1, bytes.count, stream) } ?? 0 }
        let isClosed = fclose(stream) == 0
        guard isClosed, count == self.count else { throw CocoaError(.fileWriteUnknown) }
    }
}
