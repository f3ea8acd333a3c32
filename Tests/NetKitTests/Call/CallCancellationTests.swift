import NetKitTesting
import Synchronization
import Testing

@testable import NetKit

struct CallCancellationTests {
    private final class Wait: CallCancellation.Waiter {
        private let reasons = Locked<[any Error]>([])

        var count: Int { reasons.withLock { $0.count } }

        func stop(_ reason: any Error) {
            reasons.withLock { $0.append(reason) }
        }
    }

    @Test func tellsWhoWaitsAndWhoComesLater() throws {
        let signal = CallCancellation()
        let (early, gone, late) = (Wait(), Wait(), Wait())
        signal.add(early)
        signal.add(gone)
        signal.remove(gone)
        try signal.check()
        signal.stop(CancellationError())
        signal.add(late)
        #expect(early.count == 1 && gone.count == 0 && late.count == 1)
        #expect(throws: CancellationError.self) { try signal.check() }
    }

    @Test func onlyTheFirstReasonCounts() {
        let signal = CallCancellation()
        let wait = Wait()
        signal.add(wait)
        signal.stop(NetKitError(.closed, "first"))
        signal.stop(CancellationError())
        #expect(wait.count == 1)
        #expect(throws: NetKitError.self) { try signal.check() }
    }
}
