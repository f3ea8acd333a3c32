public import Foundation

/// A place that several processes share for one refreshable token.
///
/// ```swift
/// let vault = FileTokenVault(file: folder.appending(path: "token.json"))
/// let tokens = TokenStore(shared: vault) { current in try await login.renew(current) }
/// ```
/// Each token has a version. A process that knows a version asks for the right to refresh it, sends its request, and
/// saves the new token over that version. The right is a lease with an end, and never a lock that is held while the
/// request is under way. A process that dies therefore holds up the others only until its lease ends.
///
/// ``FileTokenVault`` is the vault for the processes of one machine. Test one of your own with `TokenVaultConformance`
/// of `NetKitTesting`.
public protocol TokenVault: Sendable {
    /// Returns the current token and its version.
    func read() async throws -> SharedToken

    /// Asks for the right to refresh the token that is current, or extends it.
    ///
    /// The right is granted if the vault's version is at most the given one, and if no other holder has the right. The
    /// same holder may ask again, which moves the end of its lease.
    ///
    /// - Parameters:
    ///   - version: The version that the caller knows.
    ///   - holder: The name of the caller, for this one refresh.
    ///   - duration: The time after which the lease ends by itself, by the vault's clock.
    /// - Returns: The right, or the reason why there is none.
    /// - Throws: The error that keeps the vault from answering.
    func lease(_ version: Int64, by holder: UUID, for duration: Duration) async throws -> TokenLease

    /// Saves a token over a version, and ends the lease, whichever process has it.
    ///
    /// - Parameters:
    ///   - token: The token. If it is `nil`, the vault has no token from now on, as after a logout.
    ///   - identity: The name of the token's identity, unless it is random.
    ///   - version: The version that the token replaces, or `nil` to replace any version, as after a login.
    /// - Returns: The new version, or `nil` if the vault has another version, and nothing was saved.
    /// - Throws: The error that kept the token from being saved, or left it unknown.
    func save(_ token: AccessToken?, for identity: String?, over version: Int64?) async throws -> Int64?

    /// Releases the right to refresh, as after a refresh that failed; has no effect for another holder.
    func release(_ version: Int64, by holder: UUID) async throws

    /// Waits until there may be another version, or the lease may be free.
    ///
    /// The default waits for at most 100 ms. A vault that receives notices of changes can wait longer.
    ///
    /// - Parameters:
    ///   - version: The version that the caller knows.
    ///   - limit: The maximum time to wait.
    ///   - clock: The clock of the caller.
    /// - Throws: `CancellationError` if the caller is cancelled, or the error that keeps the vault from answering.
    func waitForChange(of version: Int64, upTo limit: Duration, clock: NetKitClock) async throws
}

extension TokenVault {
    /// Waits for 100 ms, or for the limit if that is shorter.
    public func waitForChange(of version: Int64, upTo limit: Duration, clock: NetKitClock) async throws {
        let wait = min(max(limit, .milliseconds(1)), .milliseconds(100))
        try await clock.waitForAlarm(at: clock.now.advanced(by: wait))
    }
}

/// A token of a vault, with its version.
public struct SharedToken: Sendable, Hashable {
    /// The version, which rises with each change, including a logout; 0 if there was none.
    public var version: Int64
    /// The token, if there is one.
    public var token: AccessToken?
    /// The name of the token's identity, unless it is random.
    public var identity: String?

    /// Creates a token with a version.
    public init(version: Int64 = 0, token: AccessToken? = nil, identity: String? = nil) {
        (self.version, self.token, self.identity) = (version, token, identity)
    }
}

/// The answer of a vault to a process that asks for the right to refresh.
public enum TokenLease: Sendable, Hashable {
    /// The process may refresh this token.
    case granted(SharedToken)
    /// Another process has the right to refresh, until the remaining time is over.
    case held(for: Duration)
    /// The vault has a newer version.
    case newer(SharedToken)
}
