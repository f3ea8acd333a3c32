import Testing

@testable import NetKit

struct PendingRemovalsTests: ~Copyable {
    private typealias Removal = PendingRemovals.Removal

    private let removals = Locked(PendingRemovals())

    private func begin(_ number: UInt32) -> Removal {
        removals.withLock { $0.begin(CacheResource(number: number)) }
    }

    private func end(_ removal: Removal, isDone: Bool = true) {
        removals.withLock { $0.end(removal, isDone: isDone) }
    }

    private func fail(_ number: UInt32) { end(begin(number), isDone: false) }

    private func use(_ number: UInt32) -> PendingRemovals.Use {
        removals.withLock { $0.use(CacheResource(number: number)) }
    }

    /// Returns the removal that has to succeed before a resource is used.
    private func repetition(of number: UInt32) -> Removal? {
        if case .after(let removal) = use(number) { removal } else { nil }
    }

    private func isAllowed(_ number: UInt32) -> Bool { if case .allowed = use(number) { true } else { false } }

    private func isRefused(_ number: UInt32) -> Bool { if case .refused = use(number) { true } else { false } }

    @Test func aResourceIsNotUsedBeforeItsLastRemovalHasEnded() {
        let (first, second) = (begin(1), begin(1))
        #expect(isRefused(1))
        #expect(isAllowed(2))
        end(first)
        #expect(isRefused(1))
        end(second)
        #expect(isAllowed(1))
    }

    @Test func aRemovalThatFailsAgainMeanwhileIsRepeatedOnceMore() throws {
        fail(1)
        #expect(isAllowed(2))
        let first = try #require(repetition(of: 1))
        #expect(isRefused(1))
        fail(1)
        end(first)
        let second = try #require(repetition(of: 1))
        #expect(second.resource?.number == 1)
        end(second)
        #expect(isAllowed(1))
    }

    @Test func aLaterRemovalMakesUpForOneThatFailed() {
        let early = begin(1)
        fail(1)
        end(begin(1))
        #expect(isRefused(1))
        end(early)
        #expect(isAllowed(1))
    }

    @Test func beyondItsBoundEverythingIsRemoved() throws {
        for number in 1...1_000 { fail(UInt32(number)) }
        fail(1_000)
        #expect(isAllowed(0))
        let one = try #require(repetition(of: 1))
        fail(1_001)
        end(one)
        let all = try #require(repetition(of: 0))
        #expect(all.resource == nil)
        #expect(isRefused(1))
        fail(1)
        end(all)
        let later = try #require(repetition(of: 0))
        end(later, isDone: false)
        let last = try #require(repetition(of: 1))
        #expect(last.resource == nil)
        end(last)
        #expect(isAllowed(1))
    }
}
