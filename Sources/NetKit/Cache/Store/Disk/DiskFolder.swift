import Foundation

/// The folder of a store: where each entry's file is, and what else lies there.
struct DiskFolder: Sendable {
    private static let leftover = "tmp-"
    private static let dayInSeconds: Int64 = 86_400

    let path: String
    let fileSystem: any CacheFileSystem
    let random: RandomSource
    let secret: CacheHashKey
    /// Held open as long as the store is there.
    private let mark: OpenFile?

    init(path: String, fileSystem: any CacheFileSystem, random: RandomSource) {
        self.path = path.hasSuffix("/") && path.count > 1 ? String(path.dropLast()) : path
        self.fileSystem = fileSystem
        self.random = random
        try? fileSystem.makeCacheFolder(self.path)
        mark = try? fileSystem.use(self.path + "/.lock")
        // Without one that lasts, this process has at least its own.
        secret = Self.lastingSecret(self.path, fileSystem, random) ?? CacheHashKey(random: random)
    }

    /// Whether no other store uses the folder; one that cannot be asked might.
    var isOnlyUser: Bool { mark.map(fileSystem.isOnlyUser) ?? false }

    func path(of key: CacheKey) -> String { "\(path)/\(key)" }

    /// Makes a file to write an entry into.
    func makeLeftover() throws(FileError) -> OpenFile {
        try fileSystem.create("\(path)/\(Self.leftover)\(random.next().hexadecimal)", permissions: 0o600)
    }

    func remove(_ key: CacheKey) throws(FileError) {
        try fileSystem.remove(path(of: key))
    }

    /// The entries in the folder and their sizes, the one written longest ago first.
    func scan(removesLeftovers: Bool) throws(FileError) -> [(key: CacheKey, size: Int64)] {
        let files = try fileSystem.cacheFiles(in: path)
        let now = Int64(Date().timeIntervalSince1970)
        for file in files where file.name.hasPrefix(Self.leftover) {
            // What a process left behind that was killed; another one may be writing the others.
            if removesLeftovers || now - file.changed > Self.dayInSeconds {
                try? fileSystem.remove("\(path)/\(file.name)")
            }
        }
        return files.compactMap { file in CacheKey(file.name).map { (file, $0) } }
            .orderedByNumber { $0.0.changed }
            .map { ($0.1, $0.0.size) }
    }

    /// The secret in the folder, which the first process makes.
    private static func lastingSecret(
        _ path: String,
        _ fileSystem: any CacheFileSystem,
        _ random: RandomSource
    ) -> CacheHashKey? {
        let file = path + "/.secret"
        if let secret = readSecret(file, fileSystem) { return secret }
        let made = CacheHashKey(random: random)
        let temporary = "\(path)/\(leftover)\(random.next().hexadecimal)"
        guard let new = try? fileSystem.create(temporary, permissions: 0o600) else { return nil }
        do {
            try made.bytes.withUnsafeBytes { try fileSystem.writeAll($0, to: new) }
            // Of two that make one at the same time, the first counts for both: a name that is taken stays.
            try? fileSystem.link(temporary, to: file)
            if let secret = readSecret(file, fileSystem) {
                try? fileSystem.remove(temporary)
                return secret
            }
            // What has the name is no secret, or the disk knows no second names.
            try fileSystem.rename(temporary, to: file)
        } catch {
            try? fileSystem.remove(temporary)
            return nil
        }
        return readSecret(file, fileSystem)
    }

    private static func readSecret(_ path: String, _ fileSystem: any CacheFileSystem) -> CacheHashKey? {
        guard let file = try? fileSystem.openEntry(path) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 17)
        let count = bytes.withUnsafeMutableBytes { try? fileSystem.read(file, into: $0, at: 0) }
        return CacheHashKey(bytes: bytes.prefix(count ?? 0))
    }
}
