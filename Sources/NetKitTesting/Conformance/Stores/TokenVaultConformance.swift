import Foundation
public import NetKit

/// Tests a vault against every promise of `TokenVault`.
///
/// ```swift
/// let conformance = TokenVaultConformance {
///     let name = UUID().uuidString
///     return { try await MyVault(name) }
/// }
///
/// @Test(arguments: TokenVaultConformance.cases)
/// func passes(_ conformanceCase: TokenVaultConformance.Case) async {
///     let result = await conformance.run(conformanceCase)
///     #expect(result.isKept, "\(result)")
/// }
/// ```
/// Each case begins with a separate, empty place.
public struct TokenVaultConformance: Sendable {
    /// A case about a vault.
    public typealias Case = StoreConformanceCase<TokenVaultTrial>
    /// A closure that returns another vault over the same place, as the next process has it.
    public typealias Opener = @Sendable () async throws -> any TokenVault

    /// All cases.
    public static let cases: [Case] = tokenCases + leaseCases + leaseEndCases + waitCases

    private let makePlace: @Sendable () async throws -> Opener

    /// Creates the tests of a vault.
    ///
    /// - Parameter makePlace: A closure that creates an empty place, such as a file or a row, and returns a closure
    ///   that makes vaults over it.
    public init(makePlace: @escaping @Sendable () async throws -> Opener) {
        self.makePlace = makePlace
    }

    /// Tries one case.
    ///
    /// The run always ends, whatever the vault does.
    public func run(_ conformanceCase: Case) async -> StoreConformanceResult {
        await conformanceCase.result(within: conformanceCase.timeLimit) { TokenVaultTrial(open: try await makePlace()) }
    }
}

/// The context of a case, with an empty place for a token.
public struct TokenVaultTrial: Sendable {
    let open: TokenVaultConformance.Opener

    /// Returns two vaults over the place.
    func pair() async throws -> (any TokenVault, any TokenVault) { (try await open(), try await open()) }
}

/// A token as long as many that servers sign, with characters that a format or a statement has to escape.
private let token = AccessToken(
    String(repeating: "a'b\"c\\d%", count: 500),
    expiry: Date(timeIntervalSince1970: 1_900_000_000),
    refreshToken: String(repeating: "ra", count: 2000)
)
private let long = Duration.seconds(60)

extension TokenVault {
    /// Saves a token over any version.
    fileprivate func put(_ value: String) async throws -> Int64 {
        let version = try await save(AccessToken(value), for: nil, over: nil)
        return try require("a save over any version succeeds", version, seen: "it is refused")
    }

    /// Returns the token if the right is granted, and fails the case otherwise.
    fileprivate func granted(
        _ version: Int64,
        by holder: UUID = UUID(),
        for duration: Duration = long
    ) async throws -> SharedToken {
        let result = try await lease(version, by: holder, for: duration)
        guard case .granted(let stored) = result else {
            throw ConformanceFailure.broken(expected: "the right is granted", seen: "\(result)")
        }
        return stored
    }

    /// Fails the case unless another process has the right.
    fileprivate func isHeld(_ version: Int64, by holder: UUID = UUID(), atMost limit: Duration = long) async throws {
        let result = try await lease(version, by: holder, for: long)
        guard case .held(let rest) = result else {
            throw ConformanceFailure.broken(expected: "another holder has the right", seen: "\(result)")
        }
        try expect("a rest of up to \(limit)", rest > .zero && rest <= limit, seen: "\(rest)")
    }
}

extension TokenVaultConformance {
    static let tokenCases: [Case] = [
        Case("read.empty", "A vault without a token has version 0.") {
            try expect("the token", try await $0.open().read(), is: SharedToken())
        },
        Case("save.read", "A saved token is read by every process, with its identity and a higher version.") {
            let (first, second) = try await $0.pair()
            let before = try await first.read().version
            let version = try await first.save(token, for: "ada", over: before) ?? 0
            try expect("a higher version", version > before, seen: "\(version)")
            for vault in [first, second, try await $0.open()] {
                let expected = SharedToken(version: version, token: token, identity: "ada")
                try expect("the token", try await vault.read(), is: expected)
            }
        },
        Case("save.version", "A token is saved only over the version that it replaces.") {
            let (first, second) = try await $0.pair()
            let version = try await first.put("a")
            let next = try await second.save(AccessToken("b"), for: nil, over: version)
            let saved = try require("the save of the second succeeds", next, seen: "it is refused")
            for old in [version, 0, saved + 100] {
                let late = try await first.save(AccessToken("c"), for: nil, over: old)
                try expect("a save over version \(old)", late, is: nil)
            }
            let stored = try await first.read()
            try expect("the token", stored.token, is: AccessToken("b"))
            try expect("the version", stored.version, is: saved)
        },
        Case("save.any", "Without a version, any token is replaced.") {
            let (first, second) = try await $0.pair()
            let one = try await first.put("a")
            let two = try await second.put("b")
            try expect("a higher version", two > one, seen: "\(two)")
            try expect("the token", try await first.read(), is: SharedToken(version: two, token: AccessToken("b")))
        },
        Case("save.identity", "A token is read with the identity of its own save.") {
            let (first, second) = try await $0.pair()
            for identity in ["ada", nil, "bob"] {
                _ = try await first.save(token, for: identity, over: nil)
                try expect("the identity", try await second.read().identity, is: identity)
            }
        },
        Case("save.race", "Of many saves over one version, exactly one succeeds.") {
            let (first, second) = try await $0.pair()
            let version = try await first.put("a")
            let saved = try await withThrowingTaskGroup(of: Int64?.self) { group in
                for number in 0..<20 {
                    let vault = number.isMultiple(of: 2) ? first : second
                    group.addTask { try await vault.save(AccessToken("\(number)"), for: nil, over: version) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try expect("successes", saved.count { $0 != nil }, is: 1)
        },
        Case("clear.version", "Without a token, the vault has none, and a higher version.") {
            let (first, second) = try await $0.pair()
            let version = try await first.put("a")
            let cleared = try await first.save(nil, for: nil, over: nil) ?? 0
            try expect("a higher version", cleared > version, seen: "\(cleared)")
            try expect("the token", try await second.read(), is: SharedToken(version: cleared))
            try expect("a save over the old one", try await second.save(token, for: nil, over: version), is: nil)
            let next = try await second.save(token, for: nil, over: cleared) ?? 0
            try expect("a higher version", next > cleared, seen: "\(next)")
        },
        Case("clear.empty", "A logout ends the first refresh, from which there is no token yet.") {
            let (first, second) = try await $0.pair()
            _ = try await first.granted(0)
            let cleared = try await second.save(nil, for: nil, over: nil) ?? 0
            try expect("a higher version", cleared > 0, seen: "\(cleared)")
            try expect("a save over version 0", try await first.save(token, for: nil, over: 0), is: nil)
            try expect("the token", try await first.granted(cleared), is: SharedToken(version: cleared))
        },
    ]

    static let leaseCases: [Case] = [
        Case("lease.empty", "The right is granted for a vault without a token.") {
            try expect("the token", try await $0.open().granted(0), is: SharedToken())
        },
        Case("lease.granted", "The right comes with the current token.") {
            let vault = try await $0.open()
            let version = try await vault.save(token, for: "ada", over: nil) ?? 0
            let expected = SharedToken(version: version, token: token, identity: "ada")
            try expect("the token", try await vault.granted(version), is: expected)
        },
        Case("lease.one", "Only one holder has the right.") {
            let (first, second) = try await $0.pair()
            let version = try await first.put("a")
            _ = try await first.granted(version)
            try await second.isHeld(version)
            try await first.isHeld(version)
        },
        Case("lease.race", "Of many processes that ask at once, one gets the right.") {
            let (first, second) = try await $0.pair()
            let version = try await first.put("a")
            let leases = try await withThrowingTaskGroup(of: TokenLease.self) { group in
                for number in 0..<20 {
                    let vault = number.isMultiple(of: 2) ? first : second
                    group.addTask { try await vault.lease(version, by: UUID(), for: long) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let granted = leases.count { if case .granted = $0 { true } else { false } }
            try expect("rights", granted, is: 1)
        },
        Case("lease.newer", "A process that knows an older version gets the newer token, and no right.") {
            let (first, second) = try await $0.pair()
            let old = try await first.put("a")
            let version = try await first.put("b")
            let newer = TokenLease.newer(SharedToken(version: version, token: AccessToken("b")))
            try expect("the result", try await second.lease(old, by: UUID(), for: long), is: newer)
            // The result is the same while another process refreshes.
            _ = try await first.granted(version)
            try expect("the result", try await second.lease(old, by: UUID(), for: long), is: newer)
        },
        Case("lease.cleared", "A process that knows the version before a logout gets a newer one, and no right.") {
            let (first, second) = try await $0.pair()
            let old = try await first.put("a")
            let version = try await first.save(nil, for: nil, over: old) ?? 0
            let newer = TokenLease.newer(SharedToken(version: version))
            try expect("the result", try await second.lease(old, by: UUID(), for: long), is: newer)
        },
        Case("lease.lost", "A process that knows a higher version than the vault can get the right.") {
            let vault = try await $0.open()
            let version = try await vault.put("a")
            let stored = try await vault.granted(version + 7)
            try expect("the version", stored.version, is: version)
        },
        Case("lease.extend", "The holder of the right can extend it.") {
            let (first, second) = try await $0.pair()
            let (version, holder) = (try await first.put("a"), UUID())
            _ = try await first.granted(version, by: holder, for: .seconds(4))
            _ = try await first.granted(version, by: holder)
            try await NetKitClock.system.sleep(for: .milliseconds(4200))
            try await second.isHeld(version)
        },
        Case("lease.shorten", "The holder of the right can also end it earlier.") {
            let (first, second) = try await $0.pair()
            let (version, holder) = (try await first.put("a"), UUID())
            _ = try await first.granted(version, by: holder)
            _ = try await first.granted(version, by: holder, for: .milliseconds(50))
            try await NetKitClock.system.sleep(for: .milliseconds(200))
            _ = try await second.granted(version)
        },
    ]

    static let leaseEndCases: [Case] = [
        Case("end.time", "A lease ends by itself.") {
            let (first, second) = try await $0.pair()
            let (version, other) = (try await first.put("a"), UUID())
            while true {
                let start = ContinuousClock.now
                _ = try await first.granted(version, for: .seconds(4))
                do {
                    try await second.isHeld(version, by: other, atMost: .seconds(4))
                    break
                } catch {
                    // The lease may have ended during a stall.
                    guard start.duration(to: .now) >= .seconds(4) else { throw error }
                    try await second.release(version, by: other)
                }
            }
            try await NetKitClock.system.sleep(for: .milliseconds(4200))
            _ = try await second.granted(version)
        },
        Case("end.save", "A save ends the lease.") {
            let (first, second) = try await $0.pair()
            let version = try await first.put("a")
            _ = try await first.granted(version)
            let next = try await first.save(AccessToken("b"), for: nil, over: version) ?? 0
            let stored = try await second.granted(next)
            try expect("the token", stored.token, is: AccessToken("b"))
        },
        Case("end.any-save", "A save of another process ends the lease, and so does a login or a logout.") {
            let (first, second) = try await $0.pair()
            var version = try await first.put("a")
            let saves: [(AccessToken?, Bool)] = [(AccessToken("b"), false), (AccessToken("c"), true), (nil, true)]
            for (token, isOverAny) in saves {
                _ = try await first.granted(version)
                version = try await second.save(token, for: nil, over: isOverAny ? nil : version) ?? 0
            }
            _ = try await first.granted(version)
        },
        Case("end.refused-save", "A save that is refused does not end the lease.") {
            let (first, second) = try await $0.pair()
            let version = try await first.put("a")
            _ = try await first.granted(version)
            let saved = try await second.save(AccessToken("b"), for: nil, over: version + 100)
            try expect("a save over another version", saved, is: nil)
            try await second.isHeld(version)
        },
        Case("end.late-save", "A holder whose lease has ended can still save, over its version only.") {
            let (first, second) = try await $0.pair()
            let version = try await first.put("a")
            _ = try await first.granted(version, for: .milliseconds(50))
            try await NetKitClock.system.sleep(for: .milliseconds(200))
            _ = try await second.granted(version)
            let saved = try await first.save(AccessToken("b"), for: nil, over: version)
            try expect("the late save", saved != nil, is: true)
            let other = try await second.save(AccessToken("c"), for: nil, over: version)
            try expect("the save of the other", other, is: nil)
            try expect("the token", try await second.read().token, is: AccessToken("b"))
        },
        Case("end.release", "A right that is given back is free at once.") {
            let (first, second) = try await $0.pair()
            let (version, holder) = (try await first.put("a"), UUID())
            _ = try await first.granted(version, by: holder)
            try await first.release(version, by: holder)
            _ = try await second.granted(version)
        },
        Case("end.foreign-release", "Only the holder gives the right back.") {
            let (first, second) = try await $0.pair()
            let version = try await first.put("a")
            _ = try await first.granted(version)
            try await second.release(version, by: UUID())
            try await second.isHeld(version)
        },
        Case("end.taken", "A holder whose lease has ended does not extend or release the one of another process.") {
            let (first, second) = try await $0.pair()
            let (version, late) = (try await first.put("a"), UUID())
            _ = try await first.granted(version, by: late, for: .milliseconds(50))
            try await NetKitClock.system.sleep(for: .milliseconds(200))
            _ = try await second.granted(version)
            try await first.isHeld(version, by: late)
            try await first.release(version, by: late)
            try await first.isHeld(version)
        },
    ]

    static let waitCases: [Case] = [
        Case("wait.bounded", "A wait for a change ends after its limit.") {
            let vault = try await $0.open()
            let version = try await vault.put("a")
            _ = try await vault.granted(version)
            try await Self.expectSoon {
                try await vault.waitForChange(of: version, upTo: .milliseconds(200), clock: .system)
            }
        },
        Case("wait.cancelled", "A wait throws `CancellationError` if its caller is cancelled.") {
            let vault = try await $0.open()
            let version = try await vault.put("a")
            _ = try await vault.granted(version)
            let wait = Task {
                // Cancelled at once, because the wait may be short.
                withUnsafeCurrentTask { $0?.cancel() }
                try await vault.waitForChange(of: version, upTo: long, clock: .system)
            }
            try await Self.expectSoon {
                let result = await wait.result
                guard case .failure(is CancellationError) = result else {
                    throw ConformanceFailure.broken(expected: "a `CancellationError`", seen: "\(result)")
                }
            }
        },
        Case("wait.past", "A wait for a change that has already happened ends soon.") {
            let (first, second) = try await $0.pair()
            let old = try await first.put("a")
            _ = try await first.granted(try await second.put("b"))
            try await Self.expectSoon {
                try await second.waitForChange(of: old, upTo: long, clock: .system)
            }
        },
        Case("wait.release", "A wait ends soon after another process has given the right back.") {
            let (first, second) = try await $0.pair()
            let (version, holder, next) = (try await first.put("a"), UUID(), UUID())
            _ = try await first.granted(version, by: holder)
            async let released: Void = { () async throws in
                try await NetKitClock.system.sleep(for: .milliseconds(50))
                try await first.release(version, by: holder)
            }()
            try await Self.expectSoon {
                while case .held = try await second.lease(version, by: next, for: long) {
                    try await second.waitForChange(of: version, upTo: long, clock: .system)
                }
            }
            try await released
        },
        Case("wait.change", "A wait ends soon after another process has saved.") {
            let (first, second) = try await $0.pair()
            let version = try await first.put("a")
            async let saved = { () async throws -> Int64? in
                try await NetKitClock.system.sleep(for: .milliseconds(50))
                return try await second.save(AccessToken("b"), for: nil, over: version)
            }()
            try await Self.expectSoon {
                while try await first.read().version == version {
                    try await first.waitForChange(of: version, upTo: long, clock: .system)
                }
            }
            _ = try await saved
        },
    ]

    /// Fails the case unless a closure ends soon.
    ///
    /// The limit is far from the time of a wait, and a stall of the process counts as a part of it.
    private static func expectSoon(_ body: @escaping @Sendable () async throws -> Void) async throws {
        switch await FirstOutcome.of(within: .seconds(10), body) {
        case .ended(let result): try result.get()
        case .outOfTime: throw ConformanceFailure.broken(expected: "an end within 10 s", seen: "none")
        }
    }
}
