import Testing

@testable import NetKit

struct FailedRemovalsTests {
    @Test func aRemovalThatFailsAgainMeanwhileIsRepeatedOnceMore() throws {
        var failed = FailedRemovals<Int>()
        #expect(failed.removal(for: 1) == nil)
        failed.add(1)
        #expect(failed.removal(for: 2) == nil)
        let first = try #require(failed.removal(for: 1))
        failed.add(1)
        failed.remove(first)
        let second = try #require(failed.removal(for: 1))
        #expect(second.name == 1)
        failed.remove(second)
        #expect(failed.removal(for: 1) == nil)
    }

    @Test func beyondItsBoundEverythingIsRemoved() throws {
        var failed = FailedRemovals<Int>()
        for name in 1...1_000 { failed.add(name) }
        failed.add(1_000)
        #expect(failed.removal(for: 0) == nil)
        let one = try #require(failed.removal(for: 1))
        failed.add(1_001)
        let all = try #require(failed.removal(for: 0))
        #expect(all.name == nil)
        failed.remove(one)
        #expect(failed.removal(for: 1) != nil)
        failed.add(1)
        failed.remove(all)
        let later = try #require(failed.removal(for: 0))
        failed.remove(later)
        #expect(failed.removal(for: 1) == nil)
    }
}
