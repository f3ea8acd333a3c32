import NetKit
import Testing

@testable import NetKitPostgres

struct PostgresSlotTests {
    /// The attempts during a restart of the server do not slow down the connection after the next restart.
    @Test(arguments: [(10, false, 0), (10, true, 1), (1, false, 7), (1, true, 7)] as [(Int64, Bool, Int)])
    func aStableConnectionMakesUpForEarlierFailures(age: Int64, isShutdown: Bool, count: Int) {
        var slot = PostgresSlot(.work)
        slot.failureCount = 6
        slot.noteLoss(at: slot.openedAt.advanced(by: .seconds(age)), isShutdown: isShutdown)
        #expect(slot.failureCount == count)
    }
}
