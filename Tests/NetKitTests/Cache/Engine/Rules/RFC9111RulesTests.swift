import Testing

/// Tests of every rule of RFC 9111 that binds a private cache, each with its section, and of those of RFC 9110 that it
/// builds on.
///
/// Rules for shared caches, senders and intermediaries alone are left out.
@Suite(.timeLimit(.minutes(5)))
struct RFC9111RulesTests {
    @Test(arguments: CacheRule.all)
    func holds(rule: CacheRule) async throws {
        try await rule.check(CachedClient())
    }

    /// The sections with requirements, so that none is forgotten. Section 5.2.2.6 repeats 5.2.1.6 for responses.
    @Test func everySectionHasItsRules() {
        let sections = [
            "1.2.2", "3", "3.1", "3.2", "3.3", "3.4", "3.5", "4", "4.1", "4.2", "4.2.1", "4.2.2", "4.2.3", "4.2.4",
            "4.3.1", "4.3.2", "4.3.3", "4.3.4", "4.3.5", "4.4", "5.1", "5.2", "5.2.1.1", "5.2.1.2", "5.2.1.3",
            "5.2.1.4", "5.2.1.5", "5.2.1.6", "5.2.1.7", "5.2.2.1", "5.2.2.2", "5.2.2.3", "5.2.2.4", "5.2.2.5",
            "5.2.2.7", "5.2.2.8", "5.2.2.9", "5.2.2.10", "5.2.3", "5.3", "5.4", "5.5",
        ]
        #expect(Set(sections).subtracting(CacheRule.all.map(\.section)) == [])
        let words = CacheRule.all.map { "\($0.section) \($0.words)" }
        #expect(Set(words).count == words.count)
    }
}
