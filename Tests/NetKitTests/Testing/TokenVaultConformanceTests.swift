import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of every case over each vault of NetKit, and of each case with a vault that must fail it.
@Suite(.needsTheMachine)
struct TokenVaultConformanceTests {
    typealias Conformance = TokenVaultConformance

    private static func conformance(
        _ wrap: @escaping @Sendable (any TokenVault) -> any TokenVault = { $0 }
    ) -> Conformance {
        Conformance {
            let vault = InMemoryTokenVault()
            return { wrap(vault.replica()) }
        }
    }

    @Test(arguments: Conformance.cases)
    func inMemory(_ conformanceCase: Conformance.Case) async {
        let result = await Self.conformance().run(conformanceCase)
        #expect(result.verdict == .kept, "\(result)")
    }

    @Test(arguments: Conformance.cases, [false, true])
    func inAFile(_ conformanceCase: Conformance.Case, isSealed: Bool) async throws {
        let folder = try TemporaryFolder()
        let seal = RecordSeal(seal: { Data($0.map { $0 ^ 0x5A }) }, open: { Data($0.map { $0 ^ 0x5A }) })
        let conformance = Conformance {
            { FileTokenVault(file: folder.file("token.json"), seal: isSealed ? seal : nil) }
        }
        let result = await conformance.run(conformanceCase)
        #expect(result.verdict == .kept, "\(result)")
    }

    /// A vault with one fault.
    struct Wrong: TokenVault {
        var inner: any TokenVault
        var onRead: @Sendable (SharedToken) -> SharedToken = { $0 }
        var onLease: @Sendable (any TokenVault, Int64, UUID, Duration) async throws -> TokenLease = {
            try await $0.lease($1, by: $2, for: $3)
        }
        var onSave: @Sendable (any TokenVault, AccessToken?, String?, Int64?) async throws -> Int64? = {
            try await $0.save($1, for: $2, over: $3)
        }
        var onRelease: @Sendable (any TokenVault, Int64, UUID) async throws -> Void = {
            try await $0.release($1, by: $2)
        }
        var onWait: Duration?

        func read() async throws -> SharedToken { onRead(try await inner.read()) }

        func lease(_ version: Int64, by holder: UUID, for duration: Duration) async throws -> TokenLease {
            try await onLease(inner, version, holder, duration)
        }

        func save(_ token: AccessToken?, for identity: String?, over version: Int64?) async throws -> Int64? {
            try await onSave(inner, token, identity, version)
        }

        func release(_ version: Int64, by holder: UUID) async throws { try await onRelease(inner, version, holder) }

        func waitForChange(of version: Int64, upTo limit: Duration, clock: NetKitClock) async throws {
            if let onWait { return try await clock.sleep(for: onWait) }
            try await inner.waitForChange(of: version, upTo: limit, clock: clock)
        }
    }

    private static let same = UUID()

    /// The faults by the case that finds each.
    static let faults: [String: @Sendable (any TokenVault) -> Wrong] = [
        "read.empty": { Wrong(inner: $0, onRead: { SharedToken(version: $0.version + 1, token: $0.token) }) },
        "save.read": { Wrong(inner: $0, onRead: { SharedToken(version: $0.version, token: $0.token) }) },
        "save.version": {
            Wrong(
                inner: $0,
                onSave: { vault, token, name, _ in
                    try await vault.save(token, for: name, over: nil)
                }
            )
        },
        "save.any": {
            Wrong(
                inner: $0,
                onSave: { vault, token, name, version in
                    try await vault.save(token, for: name, over: version ?? 0)
                }
            )
        },
        "save.race": {
            Wrong(
                inner: $0,
                onSave: { vault, token, name, version in
                    guard try await vault.read().version == version || version == nil else { return nil }
                    await Task.yield()
                    return try await vault.save(token, for: name, over: nil)
                }
            )
        },
        "clear.version": {
            Wrong(
                inner: $0,
                onSave: { vault, token, name, version in
                    token == nil
                        ? try await vault.read().version : try await vault.save(token, for: name, over: version)
                }
            )
        },
        "lease.empty": {
            Wrong(
                inner: $0,
                onLease: { vault, version, holder, time in
                    try await vault.read().version == 0
                        ? .held(for: time) : try await vault.lease(version, by: holder, for: time)
                }
            )
        },
        "lease.granted": {
            Wrong(
                inner: $0,
                onLease: { vault, version, holder, time in
                    guard case .granted = try await vault.lease(version, by: holder, for: time) else {
                        return .held(for: time)
                    }
                    return .granted(SharedToken(version: version))
                }
            )
        },
        "lease.one": {
            Wrong(
                inner: $0,
                onLease: { vault, version, _, time in
                    try await vault.lease(version, by: same, for: time)
                }
            )
        },
        "lease.race": {
            Wrong(
                inner: $0,
                onLease: { vault, version, _, time in
                    try await vault.lease(version, by: same, for: time)
                }
            )
        },
        "lease.newer": {
            Wrong(
                inner: $0,
                onLease: { vault, version, holder, time in
                    try await vault.lease(max(version, vault.read().version), by: holder, for: time)
                }
            )
        },
        "lease.lost": {
            Wrong(
                inner: $0,
                onLease: { vault, version, holder, time in
                    guard try await vault.read().version >= version else { return .held(for: time) }
                    return try await vault.lease(version, by: holder, for: time)
                }
            )
        },
        "lease.extend": {
            Wrong(
                inner: $0,
                onLease: { vault, version, _, time in
                    try await vault.lease(version, by: UUID(), for: time)
                }
            )
        },
        "end.time": {
            Wrong(
                inner: $0,
                onLease: { vault, version, holder, time in
                    try await vault.lease(version, by: holder, for: time * 1000)
                }
            )
        },
        "end.save": {
            Wrong(
                inner: $0,
                onSave: { vault, token, name, version in
                    let saved = try await vault.save(token, for: name, over: version)
                    if let saved { _ = try await vault.lease(saved, by: UUID(), for: .seconds(60)) }
                    return saved
                }
            )
        },
        "end.late-save": {
            Wrong(
                inner: $0,
                onSave: { vault, token, name, version in
                    if let version, case .held = try await vault.lease(version, by: UUID(), for: .seconds(1)) {
                        return nil
                    }
                    return try await vault.save(token, for: name, over: version)
                }
            )
        },
        "end.release": { Wrong(inner: $0, onRelease: { _, _, _ in }) },
        "end.foreign-release": {
            Wrong(
                inner: $0,
                onRelease: { vault, version, _ in
                    let token = try await vault.read()
                    _ = try await vault.save(token.token, for: token.identity, over: version)
                }
            )
        },
        "wait.bounded": { Wrong(inner: $0, onWait: .seconds(6)) },
        "wait.change": { Wrong(inner: $0, onWait: .seconds(6)) },
    ]

    @Test(arguments: Conformance.cases)
    func eachCaseFindsItsFault(_ conformanceCase: Conformance.Case) async throws {
        let fault = try #require(Self.faults[conformanceCase.name])
        let result = await Self.conformance { fault($0) }.run(conformanceCase)
        #expect(result.verdict == .broken, "\(result)")
    }
}
