import Foundation

/// The file in which a store keeps its token between processes.
///
/// Only the user of the process can read the file. A new one replaces it as a whole, so that a crash or a full disk leaves
/// the previous one.
struct TokenFile: Sendable {
    private struct Content: Codable {
        var token: AccessToken
        /// The name of the token's identity, unless it is random.
        var identity: String?
    }

    let path: String
    var fileSystem: any DurableFileSystem = SystemFileSystem()

    init(_ url: URL) {
        path = url.standardizedFileURL.path(percentEncoded: false)
    }

    /// Returns the saved token; `nil` if there is none, or if it was saved for an identity with another name.
    func read(for identity: String?) async throws -> AccessToken? {
        guard let bytes = try await onThread({ () throws(FileError) in try bytes() }) else { return nil }
        guard let content = try? JSONDecoder().decode(Content.self, from: Data(bytes)) else {
            let hint = "Remove the file to fetch a token anew, or log in again."
            throw NetKitError(.file, "\"\(path)\" is not a file that a token store wrote. \(hint)")
        }
        return identity == nil || content.identity == identity ? content.token : nil
    }

    /// Replaces the saved token; `nil` removes the file.
    func write(_ token: AccessToken?, for identity: String?) async throws {
        guard let token else {
            return try await onThread { () throws(FileError) in
                try fileSystem.remove(path)
                try fileSystem.syncFolder(folder)
            }
        }
        let data = try JSONEncoder().encode(Content(token: token, identity: identity))
        try await onThread { () throws(FileError) in try replace(with: Array(data)) }
    }

    private var folder: String { (path as NSString).deletingLastPathComponent }

    private func bytes() throws(FileError) -> [UInt8]? {
        let file: OpenFile
        do throws(FileError) {
            file = try fileSystem.openForReading(path)
        } catch {
            if error.isMissing { return nil }
            throw error
        }
        let size = try fileSystem.status(of: path).size
        return try fileSystem.readAll(file, at: 0, count: Int(clamping: min(size, 1 << 20)))
    }

    private func replace(with bytes: [UInt8]) throws(FileError) {
        _ = try fileSystem.makeFolder(folder, permissions: 0o700)
        _ = try fileSystem.replaceFile(path) { file throws(FileError) in
            try fileSystem.writeAll(bytes, to: file, at: 0)
        }
        try fileSystem.syncFolder(folder)
    }

    /// Performs a piece of work on another thread, because a disk can be slow.
    private func onThread<Value: Sendable>(
        _ work: @escaping @Sendable () throws(FileError) -> Value
    ) async throws -> Value {
        let result = await withCheckedContinuation { done in
            ActionThreads.shared.run { done.resume(returning: Result { () throws(FileError) in try work() }) }
        }
        do throws(FileError) {
            return try result.get()
        } catch {
            throw NetKitError(.file, "\(error.message) \(error.remedy)", cause: error)
        }
    }
}
