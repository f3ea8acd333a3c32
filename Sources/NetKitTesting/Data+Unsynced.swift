package import Foundation

extension Data {
    /// Writes a file and does not wait for the disk.
    ///
    /// `write(to:)` waits: on a machine whose disk is busy it holds a thread for seconds, and with it every test that waits
    /// for a thread.
    package func writeUnsynced(to file: URL) throws {
        let path = file.path(percentEncoded: false)
        guard let stream = fopen(path, "w") else { throw CocoaError(.fileWriteUnknown) }
        let count = withUnsafeBytes { bytes in bytes.baseAddress.map { fwrite($0, 1, bytes.count, stream) } ?? 0 }
        let isClosed = fclose(stream) == 0
        guard isClosed, count == self.count else { throw CocoaError(.fileWriteUnknown) }
    }
}
