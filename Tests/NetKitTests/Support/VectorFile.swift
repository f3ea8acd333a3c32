import Foundation
import NetKit

/// A file of public test cases in `Tests/NetKitTests/Vectors`; each names its source and license.
struct VectorFile {
    let cases: [JSONValue]

    init(_ name: String) throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let data = try Data(contentsOf: folder.appending(path: "Vectors/\(name).json"))
        cases = try JSONValue(parsing: data)["cases"]?.array ?? []
    }
}
