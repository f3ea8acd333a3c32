import Foundation

/// Shows the progress of a run on standard error, so that standard output has only results.
enum Progress {
    static func show(_ text: String) {
        FileHandle.standardError.write(Data("… \(text)\n".utf8))
    }
}
