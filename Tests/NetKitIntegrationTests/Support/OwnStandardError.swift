import Foundation
import NetKitTesting

/// The standard error of a process that belongs to one test.
enum OwnStandardError {
    /// Redirects all later output to a file.
    static func write(to path: String) throws {
        try Data().writeUnsynced(to: URL(fileURLWithPath: path))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        guard dup2(file.fileDescriptor, STDERR_FILENO) >= 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    /// The output so far; the test library adds bytes of its own that are not text.
    static func text(in file: URL) throws -> String {
        String(decoding: try Data(contentsOf: file), as: UTF8.self)
    }
}
