import Testing

@testable import NetKit

struct PendingRemovalsTests: ~Copyable {
    private typealias Removal = PendingRemovals<Int>.Removal

    private let removals = Locked(PendingRemovals<Int>())

    private func begin(_ name: Int) -> Removal { removals.withLock { $0.begin(name) } }

    private func end(_ removal: Removal, isDone: Bool = true) {
        removals.withLock { $0.end(removal, isDone: isDone) }
    }

    private func fail(_ name: Int) { end(begin(name), isDone: false) }

    /// Returns the removal that has to succeed before a name is used.
    private func repetition(of name: Int) -> Removal? {
        if case .after(let removal) = removals.withLock({ $0.use(name) }) { removal } else { nil }
    }

    private func isAllowed(_ name: Int) -> Bool {
        if case .allowed = removals.withLock({ $0.use(name) }) { true } else { false }
    }

    private func isRefused(_ name: Int) -> Bool {
        if case .refused = removals.withLock({ $0.use(name) }) { true } else { false }
    }

    @Test func aNameIsNotUsedBeforeItsLastRemovalHasEnded() {
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
        #expect(second.name == 1)
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
        for name in 1...1_000 { fail(name) }
        fail(1_000)
        #expect(isAllowed(0))
        let one = try #require(repetition(of: 1))
        fail(1_001)
        end(one)
        let all = try #require(repetition(of: 0))
        #expect(all.name == nil)
        #expect(isRefused(1))
        fail(1)
        end(all)
        let later = try #require(repetition(of: 0))
        end(later, isDone: false)
        let last = try #require(repetition(of: 1))
        #expect(last.name == nil)
        end(last)
        #expect(isAllowed(1))
    }
}
