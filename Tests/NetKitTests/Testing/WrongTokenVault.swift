import Foundation
import NetKit
import NetKitTesting

/// A vault in memory, some of whose operations can be replaced.
struct WrongTokenVault: TokenVault {
    let right: any TokenVault
    /// The latest holder of the right, which all vaults of a place know.
    let holder: Shared<UUID?>
    var onRead: (@Sendable (SharedToken) -> SharedToken)?
    var onLease: (@Sendable (Int64, UUID, Duration) async throws -> TokenLease)?
    var onSave: (@Sendable (AccessToken?, String?, Int64?) async throws -> Int64?)?
    var onRelease: (@Sendable (Int64, UUID) async throws -> Void)?
    var onWait: (@Sendable (Int64, Duration) async throws -> Void)?

    func read() async throws -> SharedToken {
        let stored = try await right.read()
        return onRead?(stored) ?? stored
    }

    func lease(_ version: Int64, by holder: UUID, for duration: Duration) async throws -> TokenLease {
        let result =
            if let onLease { try await onLease(version, holder, duration) } else {
                try await right.lease(version, by: holder, for: duration)
            }
        if case .granted = result { self.holder.withLock { $0 = holder } }
        return result
    }

    func save(_ token: AccessToken?, for identity: String?, over version: Int64?) async throws -> Int64? {
        if let onSave { return try await onSave(token, identity, version) }
        return try await right.save(token, for: identity, over: version)
    }

    func release(_ version: Int64, by holder: UUID) async throws {
        if let onRelease { return try await onRelease(version, holder) }
        try await right.release(version, by: holder)
    }

    func waitForChange(of version: Int64, upTo limit: Duration, clock: NetKitClock) async throws {
        if let onWait { return try await onWait(version, limit) }
        try await right.waitForChange(of: version, upTo: limit, clock: clock)
    }
}

/// A fault of a vault and the cases that have to detect it; the other cases of their areas do not.
struct TokenVaultFault: Sendable, CustomStringConvertible {
    let description: String
    let brokenCases: Set<String>
    private let spoil: @Sendable (inout WrongTokenVault) -> Void

    init(
        _ description: String,
        breaks cases: Set<String>,
        _ spoil: @escaping @Sendable (inout WrongTokenVault) -> Void
    ) {
        (self.description, brokenCases, self.spoil) = (description, cases, spoil)
    }

    /// The conformance tests of vaults with the fault.
    var conformance: TokenVaultConformance {
        TokenVaultConformance { [spoil] in
            let (vault, holder) = (InMemoryTokenVault(), Shared<UUID?>(nil))
            return {
                var wrong = WrongTokenVault(right: vault.replica(), holder: holder)
                spoil(&wrong)
                return wrong
            }
        }
    }

    static let all = saving + leasing + ending + waiting
}

extension TokenVaultFault {
    static let saving: [TokenVaultFault] = [
        TokenVaultFault("has a version without a token", breaks: ["read.empty"]) { vault in
            vault.onRead = { SharedToken(version: $0.version + 1, token: $0.token, identity: $0.identity) }
        },
        TokenVaultFault("reads no identity", breaks: ["save.read", "save.identity"]) { vault in
            vault.onRead = { SharedToken(version: $0.version, token: $0.token) }
        },
        TokenVaultFault("cuts long tokens off", breaks: ["save.read"]) { vault in
            vault.onRead = { stored in
                let token = stored.token.map { token in
                    AccessToken(String(token.value.prefix(255)), expiry: token.expiry, refreshToken: token.refreshToken)
                }
                return SharedToken(version: stored.version, token: token, identity: stored.identity)
            }
        },
        TokenVaultFault("keeps the identity of an earlier token", breaks: ["save.identity"]) { vault in
            let right = vault.right
            vault.onSave = { token, identity, version in
                let known = try await right.read().identity
                return try await right.save(token, for: identity ?? known, over: version)
            }
        },
        TokenVaultFault("saves over any version", breaks: ["save.version", "save.race"]) { vault in
            let right = vault.right
            vault.onSave = { token, identity, _ in try await right.save(token, for: identity, over: nil) }
        },
        TokenVaultFault("saves over any version only once", breaks: ["save.any", "save.identity"]) { vault in
            let right = vault.right
            vault.onSave = { try await right.save($0, for: $1, over: $2 ?? 0) }
        },
        TokenVaultFault("compares the version before it saves", breaks: ["save.race"]) { vault in
            let right = vault.right
            vault.onSave = { token, identity, version in
                guard try await right.read().version == version || version == nil else { return nil }
                try await NetKitClock.system.sleep(for: .milliseconds(1))
                return try await right.save(token, for: identity, over: nil)
            }
        },
        TokenVaultFault("does not count a logout without a token", breaks: ["clear.empty"]) { vault in
            let right = vault.right
            vault.onSave = { token, identity, version in
                if token == nil, try await right.read().version == 0 { return 0 }
                return try await right.save(token, for: identity, over: version)
            }
        },
        TokenVaultFault("keeps its token after a logout", breaks: ["clear.version", "clear.empty"]) { vault in
            let right = vault.right
            vault.onSave = { token, identity, version in
                if token == nil { return try await right.read().version }
                return try await right.save(token, for: identity, over: version)
            }
        },
    ]

    static let leasing: [TokenVaultFault] = [
        TokenVaultFault("grants no right without a token", breaks: ["lease.empty"]) { vault in
            let right = vault.right
            vault.onLease = { version, holder, time in
                if try await right.read().version == 0 { return .held(for: time) }
                return try await right.lease(version, by: holder, for: time)
            }
        },
        TokenVaultFault("grants the right without the token", breaks: ["lease.granted"]) { vault in
            let right = vault.right
            vault.onLease = { version, holder, time in
                let result = try await right.lease(version, by: holder, for: time)
                guard case .granted(let stored) = result else { return result }
                return .granted(SharedToken(version: stored.version))
            }
        },
        TokenVaultFault("takes all holders for one", breaks: ["lease.one", "lease.race", "lease.extend"]) { vault in
            let right = vault.right
            vault.onLease = { version, _, time in try await right.lease(version, by: onlyHolder, for: time) }
        },
        TokenVaultFault("grants the right for an old version", breaks: ["lease.newer", "lease.cleared"]) { vault in
            let right = vault.right
            vault.onLease = { version, holder, time in
                try await right.lease(max(version, right.read().version), by: holder, for: time)
            }
        },
        TokenVaultFault("grants the right for an old version after a logout", breaks: ["lease.cleared"]) { vault in
            let right = vault.right
            vault.onLease = { version, holder, time in
                let result = try await right.lease(version, by: holder, for: time)
                guard case .newer(let stored) = result, stored.token == nil else { return result }
                return try await right.lease(stored.version, by: holder, for: time)
            }
        },
        TokenVaultFault("grants no right if it has lost a version", breaks: ["lease.lost"]) { vault in
            let right = vault.right
            vault.onLease = { version, holder, time in
                guard try await right.read().version >= version else { return .held(for: time) }
                return try await right.lease(version, by: holder, for: time)
            }
        },
        TokenVaultFault("does not recognize a holder", breaks: ["lease.extend", "lease.shorten"]) { vault in
            let right = vault.right
            vault.onLease = { version, _, time in try await right.lease(version, by: UUID(), for: time) }
        },
        TokenVaultFault("ends no lease earlier", breaks: ["lease.shorten"]) { vault in
            let right = vault.right
            let ends = Shared<[UUID: ContinuousClock.Instant]>([:])
            vault.onLease = { version, holder, time in
                let now = ContinuousClock.now
                let end = ends.withLock { ends in
                    let end = max(ends[holder] ?? now, now + time)
                    ends[holder] = end
                    return end
                }
                return try await right.lease(version, by: holder, for: end - now)
            }
        },
    ]

    static let ending: [TokenVaultFault] = [
        TokenVaultFault(
            "holds a lease a thousand times as long",
            breaks: ["end.time", "end.late-save", "end.taken", "end.foreign-release", "end.refused-save"]
        ) { vault in
            let right = vault.right
            vault.onLease = { try await right.lease($0, by: $1, for: $2 * 1000) }
        },
        TokenVaultFault("holds the lease after a save", breaks: ["end.save", "end.any-save"]) { vault in
            let right = vault.right
            vault.onSave = { token, identity, version in
                let saved = try await right.save(token, for: identity, over: version)
                if let saved, version != nil { _ = try await right.lease(saved, by: UUID(), for: .seconds(60)) }
                return saved
            }
        },
        TokenVaultFault("ends only the lease of its own process with a save", breaks: ["end.any-save"]) { vault in
            let right = vault.right
            let isHolder = Shared(false)
            vault.onLease = { version, holder, time in
                let result = try await right.lease(version, by: holder, for: time)
                if case .granted = result { isHolder.withLock { $0 = true } }
                return result
            }
            vault.onSave = { token, identity, version in
                let saved = try await right.save(token, for: identity, over: version)
                if let saved, version != nil, !isHolder.withLock({ $0 }) {
                    _ = try await right.lease(saved, by: UUID(), for: .seconds(60))
                }
                return saved
            }
        },
        TokenVaultFault("holds the lease after a login or logout", breaks: ["end.any-save"]) { vault in
            let right = vault.right
            vault.onSave = { token, identity, version in
                // A right that nobody has ends as soon as it is granted.
                let lease = try await right.lease(.max, by: UUID(), for: .zero)
                let saved = try await right.save(token, for: identity, over: version)
                if let saved, version == nil, case .held(let rest) = lease {
                    _ = try await right.lease(saved, by: UUID(), for: rest)
                }
                return saved
            }
        },
        TokenVaultFault(
            "refuses to save while another process has the right",
            breaks: ["end.save", "end.late-save", "end.any-save"]
        ) { vault in
            let right = vault.right
            vault.onSave = { token, identity, version in
                if let version, case .held = try await right.lease(version, by: UUID(), for: .zero) { return nil }
                return try await right.save(token, for: identity, over: version)
            }
        },
        TokenVaultFault("ends the lease with a save that it refuses", breaks: ["end.refused-save"]) { vault in
            let (right, latest) = (vault.right, vault.holder)
            vault.onSave = { token, identity, version in
                let saved = try await right.save(token, for: identity, over: version)
                if saved == nil, let holder = latest.withLock({ $0 }) { try await right.release(.max, by: holder) }
                return saved
            }
        },
        TokenVaultFault("takes no right back", breaks: ["end.release"]) { vault in
            vault.onRelease = { _, _ in }
        },
        TokenVaultFault(
            "takes the right back from any holder",
            breaks: ["end.foreign-release", "end.taken"]
        ) { vault in
            let (right, latest) = (vault.right, vault.holder)
            vault.onRelease = { version, _ in
                if let holder = latest.withLock({ $0 }) { try await right.release(version, by: holder) }
            }
        },
        TokenVaultFault("lets a former holder extend the lease of another", breaks: ["end.taken"]) { vault in
            let right = vault.right
            let former = Shared<Set<UUID>>([])
            vault.onLease = { version, holder, time in
                let result = try await right.lease(version, by: holder, for: time)
                if case .granted = result { former.withLock { _ = $0.insert(holder) } }
                guard case .held = result, former.withLock({ $0.contains(holder) }) else { return result }
                return .granted(try await right.read())
            }
        },
    ]

    static let waiting: [TokenVaultFault] = [
        TokenVaultFault(
            "always waits for a minute",
            breaks: ["wait.bounded", "wait.change", "wait.past", "wait.release"]
        ) { vault in
            vault.onWait = { _, _ in try await NetKitClock.system.sleep(for: .seconds(60)) }
        },
        TokenVaultFault("is told of saves, and not of rights that are given back", breaks: ["wait.release"]) { vault in
            let right = vault.right
            vault.onWait = { version, limit in
                try await poll(upTo: limit) { try await right.read().version != version }
            }
        },
        TokenVaultFault("is told of later saves only", breaks: ["wait.past", "wait.release"]) { vault in
            let right = vault.right
            vault.onWait = { _, limit in
                let version = try await right.read().version
                try await poll(upTo: limit) { try await right.read().version != version }
            }
        },
        TokenVaultFault("waits on without its caller", breaks: ["wait.cancelled"]) { vault in
            let right = vault.right
            vault.onWait = { version, limit in
                let wait = Task { try await right.waitForChange(of: version, upTo: limit, clock: .system) }
                try await wait.value
            }
        },
    ]

    private static let onlyHolder = UUID()

    /// Waits until a condition holds, for a minute at most.
    private static func poll(upTo limit: Duration, until holds: () async throws -> Bool) async throws {
        let end = ContinuousClock.now + min(limit, .seconds(60))
        while try await !holds(), ContinuousClock.now < end {
            try await NetKitClock.system.sleep(for: .milliseconds(10))
        }
    }
}
