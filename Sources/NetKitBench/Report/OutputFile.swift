import Foundation

/// The files that the command line names.
enum OutputFile {
    /// Throws before a long run if a file could not be written at its end.
    static func check(_ paths: [String?]) throws(UsageError) {
        for case let path? in paths {
            var isFolder: ObjCBool = false
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path(percentEncoded: false)
            guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
                throw UsageError("There is no folder for \(path).")
            }
        }
    }

    static func write(_ data: Data, to path: String) throws {
        do {
            try data.write(to: URL(fileURLWithPath: path), options: .atomic)
            print("wrote \(path)")
        } catch {
            throw BenchError("\(path) cannot be written: \(error.localizedDescription)")
        }
    }
}
