import NetKitTesting
import Testing

@testable import NetKit

/// Tests of the beginning and the end of the identity of a token store.
struct TokenStoreIdentityTests {
    @Test func anIdentityStaysTheSameAcrossRefreshes() async throws {
        let store = TokenStore(initial: "old", clock: TestClock().clock) { _ in "new" }
        let identity = try #require(store.identity)
        try await store.refresh()
        #expect(store.identity == identity)
        #expect(!identity.contains("old"))
        #expect(TokenStore(initial: "old").identity != identity)
        let named = TokenStore(initial: "old", identity: "tenant-7")
        await named.set(AccessToken("other"))
        #expect(named.identity == "tenant-7")
        await named.set(AccessToken("other"), identity: "tenant-8")
        #expect(named.identity == "tenant-8")
        await named.set(AccessToken("another"))
        #expect(named.identity != "tenant-8")
    }

    @Test func aLogoutEndsEveryIdentity() async throws {
        for store in [TokenStore(initial: "old"), TokenStore(initial: "old", identity: "tenant-7")] {
            let identity = try #require(store.identity)
            await store.clear()
            let afterwards = try #require(store.identity)
            #expect(afterwards != identity)
            await store.set(AccessToken("new"))
            #expect(store.identity == afterwards)
        }
    }

    @Test func aLoginInAStoreWithoutANameBeginsAnIdentity() async throws {
        let store = TokenStore(initial: "old")
        let identity = try #require(store.identity)
        await store.set(AccessToken("renewed"), identity: identity)
        #expect(store.identity == identity)
        await store.set(AccessToken("other"))
        #expect(store.identity != identity)
        #expect(store.credentialIdentity?.isLasting == false)
    }

    @Test func theFirstCredentialContinuesTheIdentityBeforeIt() async throws {
        let store = TokenStore(initial: nil)
        let before = try #require(store.credentialIdentity)
        await store.set(AccessToken("first"), identity: "ada")
        let named = try #require(store.credentialIdentity)
        #expect(named.name == "ada")
        #expect(named.continues(before))
        await store.set(AccessToken("second"), identity: "bob")
        #expect(try #require(store.credentialIdentity).continues(before) == false)
    }

    /// To a server, it can be the name of another user, although the strings are equal.
    @Test func aNameOfOtherBytesBeginsAnotherIdentity() async throws {
        let store = TokenStore(initial: "old", identity: "jos\u{E9}")
        let before = try #require(store.credentialIdentity)
        await store.set(AccessToken("other"), identity: "jose\u{301}")
        let afterwards = try #require(store.credentialIdentity)
        #expect(afterwards != before)
        #expect(!afterwards.continues(before))
    }
}
