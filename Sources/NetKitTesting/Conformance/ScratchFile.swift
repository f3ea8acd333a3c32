import Foundation

/// A file that goes with its owner.
final class ScratchFile: Sendable {
    let url: URL

    init(_ data: Data) throws {
        url = FileManager.default.temporaryDirectory.appending(path: "netkit-\(UUID().uuidString)")
        try data.write(to: url)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}
