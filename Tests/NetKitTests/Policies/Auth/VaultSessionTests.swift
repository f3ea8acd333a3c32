import NetKitTesting
import Testing

@testable import NetKit

/// Tests of a store that refreshes even if its vault does not answer, while another process uses the vault.
@Suite(.timeLimit(.minutes(5)))
struct VaultSessionTests {
    private let time = TestClock()
    private let vault: InMemoryTokenVault
    private let own: InMemoryTokenVault.Replica
    private let other: InMemoryTokenVault.Replica

    init() {
        vault = InMemoryTokenVault(clock: time.clock)
        (own, other) = (vault.replica(), vault.replica())
    }

    private func session(
        _ refresh: @escaping @Sendable (AccessToken?) async throws -> AccessToken = { token in
            AccessToken("after \(token?.value ?? "none")")
        }
    ) -> VaultSession {
        VaultSession(own, identity: "ada", isAlone: true, clock: time.clock, refresh: refresh)
    }

    private func job(_ obtained: ObtainedToken, version: Int) -> TokenSaver.Job {
        TokenSaver.Job(
            token: obtained.token,
            identity: obtained.identity,
            version: version,
            login: obtained.login,
            right: obtained.right
        )
    }

    /// The vault does not answer when the refresh begins.
    @Test func aRefreshWithoutARightDoesNotReplaceTheLoginOfAnotherProcess() async throws {
        let (own, other) = (own, other)
        _ = try await other.save(AccessToken("old"), for: "ada", over: nil)
        let session = session { _ in
            _ = try await other.save(AccessToken("login there"), for: "ada", over: nil)
            own.cutOff(false)
            return AccessToken("refreshed")
        }
        let old = try await session.load(after: 0)
        own.cutOff()
        let obtained = try await session.next(after: TokenBasis(token: old, identity: "ada")) {}
        #expect(obtained.token.value == "refreshed")
        try await session.save(job(obtained, version: 1))
        #expect(vault.stored.token?.value == "login there")
        // It is found before the next refresh.
        let next = try await session.next(after: TokenBasis(token: obtained.token, identity: "ada")) {}
        #expect(next.token.value == "login there")
    }

    @Test func aRefreshWithoutARightIsSavedOverTheTokenThatItReplaces() async throws {
        let own = own
        _ = try await other.save(AccessToken("old"), for: "ada", over: nil)
        let session = session { _ in
            own.cutOff(false)
            return AccessToken("refreshed")
        }
        let old = try await session.load(after: 0)
        own.cutOff()
        let obtained = try await session.next(after: TokenBasis(token: old, identity: "ada")) {}
        try await session.save(job(obtained, version: 1))
        #expect(vault.stored.token?.value == "refreshed")
    }

    /// Refreshes while the vault does not answer, after an earlier refresh whose save had no answer either.
    private func secondRefreshWithoutVault(
        _ session: VaultSession,
        losesOnlyTheAnswer: Bool
    ) async throws -> ObtainedToken {
        let old = try await session.load(after: 0)
        own.cutOff()
        let first = try await session.next(after: TokenBasis(token: old, identity: "ada")) {}
        if losesOnlyTheAnswer {
            own.cutOff(false)
            own.loseSaves(1)
        }
        await #expect(throws: (any Error).self) { try await session.save(job(first, version: 1)) }
        own.cutOff()
        let second = try await session.next(after: TokenBasis(token: first.token, identity: "ada")) {}
        own.cutOff(false)
        return second
    }

    @Test func aRefreshAfterOneThatIsNotSavedDoesNotReplaceTheLoginOfAnotherProcess() async throws {
        _ = try await other.save(AccessToken("old"), for: "ada", over: nil)
        let session = session()
        let second = try await secondRefreshWithoutVault(session, losesOnlyTheAnswer: false)
        #expect(second.token.value == "after after old")
        _ = try await other.save(AccessToken("login there"), for: "ada", over: nil)
        try await session.save(job(second, version: 2))
        #expect(vault.stored.token?.value == "login there")
        let next = try await session.next(after: TokenBasis(token: second.token, identity: "ada")) {}
        #expect(next.token.value == "login there")
    }

    @Test(arguments: [false, true])
    func aRefreshAfterOneThatMayNotBeSavedReplacesItsToken(_ losesOnlyTheAnswer: Bool) async throws {
        _ = try await other.save(AccessToken("old"), for: "ada", over: nil)
        let session = session()
        let second = try await secondRefreshWithoutVault(session, losesOnlyTheAnswer: losesOnlyTheAnswer)
        #expect(vault.stored.token?.value == (losesOnlyTheAnswer ? "after old" : "old"))
        try await session.save(job(second, version: 2))
        #expect(vault.stored.token?.value == "after after old")
    }

    /// The vault still has the token of an earlier run, of the same identity.
    @Test(arguments: [AccessToken("login"), nil])
    func theTokenOfAnEarlierLoginDoesNotReplaceALoginThatIsNotSaved(_ login: AccessToken?) async throws {
        _ = try await other.save(AccessToken("old"), for: "ada", over: nil)
        let session = session()
        let unsaved = TokenSaver.Job(token: login, identity: "ada", version: 1, login: 1)
        own.cutOff()
        await #expect(throws: (any Error).self) { try await session.save(unsaved) }
        own.cutOff(false)
        let obtained = try await session.next(after: TokenBasis(token: login, identity: "ada", login: 1)) {}
        #expect(obtained.token.value == "after \(login?.value ?? "none")")
        try await session.save(job(obtained, version: 2))
        #expect(vault.stored.token == obtained.token)
    }

    @Test func aRefreshWithoutARightReplacesTheTokenOfAnEarlierLogin() async throws {
        let own = own
        _ = try await other.save(AccessToken("old"), for: "ada", over: nil)
        let session = session { _ in
            own.cutOff(false)
            return AccessToken("refreshed")
        }
        let login = TokenSaver.Job(token: AccessToken("login"), identity: "ada", version: 1, login: 1)
        own.cutOff()
        await #expect(throws: (any Error).self) { try await session.save(login) }
        let basis = TokenBasis(token: AccessToken("login"), identity: "ada", login: 1)
        let obtained = try await session.next(after: basis) {}
        try await session.save(job(obtained, version: 2))
        #expect(vault.stored.token?.value == "refreshed")
    }

    /// The vault does not have the logout, and is restored from a backup that is older still.
    @Test func aTokenOfBeforeALogoutThatIsNotSavedIsNotRefreshed() async throws {
        for token in ["older", "old"] { _ = try await other.save(AccessToken(token), for: "ada", over: nil) }
        let session = session()
        #expect(try await session.load(after: 0)?.value == "old")
        let logout = TokenSaver.Job(token: nil, identity: "ada", version: 1, login: 1)
        own.cutOff()
        await #expect(throws: (any Error).self) { try await session.save(logout) }
        own.cutOff(false)
        vault.restore(SharedToken(version: 1, token: AccessToken("older"), identity: "ada"))
        let obtained = try await session.next(after: TokenBasis(token: nil, identity: "ada", login: 1)) {}
        #expect(obtained.token.value == "after none")
    }
}
