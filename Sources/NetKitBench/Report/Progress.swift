import Foundation

/// Says on the error output how far a run is, so that the output holds results only.
enum Progress {
    static func show(_ text: String) {
        FileHandle.standardError.write(Data("… \(text)\n".utf8))
    }
}
