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

    private let call = RequestContext.test().call

    @Test func tellsCurrentAndLaterWaiters() throws {
        let (early, gone, late) = (Wait(), Wait(), Wait())
        call.addWaiter(early)
        call.addWaiter(gone)
        call.removeWaiter(gone)
        try call.checkStopped()
        call.stop(.cancelled)
        call.addWaiter(late)
        #expect(early.count == 1 && gone.count == 0 && late.count == 1)
        #expect(throws: CancellationError.self) { try call.checkStopped() }
    }

    @Test func onlyTheFirstReasonCounts() {
        let wait = Wait()
        call.addWaiter(wait)
        call.stop(.closed)
        call.stop(.cancelled)
        #expect(wait.count == 1)
        #expect(throws: NetKitError.self) { try call.checkStopped() }
    }

    @Test func aCallThatIsOverIsNotStopped() throws {
        let wait = Wait()
        call.addWaiter(wait)
        #expect(call.finish() == nil)
        call.stop(.deadline)
        #expect(wait.count == 0)
        try call.checkStopped()
    }

    @Test func theAlarmOfACallThatIsOverIsCancelled() {
        let clock = TestClock()
        let call = RequestContext.test(clock: clock.clock).call
        let end = clock.clock.now.advanced(by: .seconds(1))
        call.cancellation.attach(call.clock.schedule(at: end) { call.stop(.deadline) })
        call.finish()
        call.cancellation.attach(call.clock.schedule(at: end) { call.stop(.deadline) })
        clock.advance(by: .seconds(2))
        #expect(!call.isStopped)
    }
}
