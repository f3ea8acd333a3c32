import Foundation

extension URL {
    /// The path of a folder, without a slash at the end.
    var folderPath: String {
        var path = path(percentEncoded: false)
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }
}
