import NetKit
import Testing

@testable import NetKitPostgres

struct OutboxSliceSizeTests {
    private var size = OutboxSliceSize()

    @Test mutating func growsWhileStatementsFindLittle() {
        var counts: [Int] = []
        for _ in 0..<7 {
            counts.append(size.shardCount)
            size.note(0, of: size.shardCount, isQuick: true)
        }
        #expect(counts == [8, 16, 32, 64, 128, 256, 256])
    }

    @Test mutating func changesWithWhatAStatementFinds() {
        size.note(5_000, of: 8, isQuick: true)
        #expect(size.shardCount == 4)
        size.note(2_000, of: 4, isQuick: true)
        #expect(size.shardCount == 4)
        // One about fewer shards says little about more of them.
        size.note(0, of: 2, isQuick: true)
        #expect(size.shardCount == 4)
        // What has been deleted takes time as well.
        size.note(0, of: 4, isQuick: false)
        #expect(size.shardCount == 4)
        size.note(0, of: 4, isQuick: true)
        #expect(size.shardCount == 8)
    }

    @Test mutating func isHalvedAfterATimeout() {
        var isSmaller: [Bool] = []
        for _ in 0..<4 { isSmaller.append(size.noteTimeout(of: size.shardCount)) }
        #expect(isSmaller == [true, true, true, false])
        #expect(size.shardCount == 1)
        size.note(0, of: 1, isQuick: true)
        size.note(0, of: 2, isQuick: true)
        // A listing that began before with more shards.
        let isHalved = size.noteTimeout(of: 64)
        #expect(isHalved)
        #expect(size.shardCount == 4)
    }

    @Test func aSlowStatementIsOneThatThisProcessOrTheServerHasEnded() {
        var failure = PostgresFailure(lostConnection: "canceling statement due to statement timeout")
        (failure.sqlState, failure.isFatal) = ("57014", false)
        #expect(failure.error(outcome: .answered).isOfSlowStatement)
        #expect(NetKitError(.timeout, "", outcome: .unknown).isOfSlowStatement)
        #expect(!NetKitError(.storeUnavailable, "").isOfSlowStatement)
    }
}
