import Foundation

/// The files that the command line names.
enum OutputFile {
    /// Throws before a long run if a file could not be written at its end.
    static func check(_ paths: [String?]) throws(UsageError) {
        for case let path? in paths {
            let file = URL(fileURLWithPath: path)
            guard isFolder(file.deletingLastPathComponent()) else {
                throw UsageError("There is no folder for \(path).")
            }
            guard !isFolder(file) else { throw UsageError("\(path) is a folder.") }
        }
    }

    private static func isFolder(_ url: URL) -> Bool {
        var isFolder: ObjCBool = false
        let path = url.path(percentEncoded: false)
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
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
