public import Foundation

/// A vault in a file, which several processes of one machine share.
///
/// ```swift
/// let vault = FileTokenVault(file: folder.appending(path: "token.json"), seal: seal)
/// let tokens = TokenStore(shared: vault, identity: "tenant-7") { current in try await login.renew(current) }
/// ```
/// Only the user of the processes can read the file. A new token replaces it as a whole. The file with `.lock` appended
/// to its name holds the lease, and nothing secret. A damaged file is an error that names it, and stays where it is.
/// Remove the token's file to fetch another one. A version never returns, even if both files are removed. Containers
/// share a vault if they have its folder and the kernel in common. The folder must be on a disk of this machine.
public struct FileTokenVault: TokenVault {
    private let file: TokenFile

    /// Creates a vault.
    ///
    /// - Parameters:
    ///   - file: The file; its folder is created if it is missing, but not the folders above it.
    ///   - seal: The encryption of the token; none by default.
    ///   - clock: The clock of the leases, which has to be the same for all processes.
    public init(file: URL, seal: RecordSeal? = nil, clock: NetKitClock = .system) {
        self.init(file: file, seal: seal, clock: clock, fileSystem: SystemFileSystem())
    }

    init(file: URL, seal: RecordSeal?, clock: NetKitClock, fileSystem: any DurableFileSystem) {
        let path = file.standardizedFileURL.path(percentEncoded: false)
        self.file = TokenFile(path: path, seal: seal, clock: clock, fileSystem: fileSystem)
    }

    /// Returns the current token and its version.
    public func read() async throws -> SharedToken {
        try await onThread { try $0.read() }
    }

    /// Asks for the right to refresh.
    public func lease(_ version: Int64, by holder: UUID, for duration: Duration) async throws -> TokenLease {
        try await onThread { try $0.lease(version, by: holder, for: duration) }
    }

    /// Saves a token over a version; without a token, the file is removed.
    public func save(_ token: AccessToken?, for identity: String?, over version: Int64?) async throws -> Int64? {
        try await onThread { try $0.save(token, for: identity, over: version) }
    }

    /// Releases the right to refresh.
    public func release(_ version: Int64, by holder: UUID) async throws {
        try await onThread { try $0.release(version, by: holder) }
    }

    /// Performs a piece of work on another thread, because a disk can be slow.
    private func onThread<Value: Sendable>(
        _ work: @escaping @Sendable (TokenFile) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { done in
            ActionThreads.shared.run { [file] in
                done.resume(with: Result { try work(file) }.mapError { Self.explained($0) })
            }
        }
    }

    private static func explained(_ error: any Error) -> any Error {
        guard let error = error as? FileError else { return error }
        return NetKitError(.file, error.explanation, cause: error)
    }
}
