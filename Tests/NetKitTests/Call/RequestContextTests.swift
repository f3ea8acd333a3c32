import NetKitTesting
import Testing

@testable import NetKit

struct RequestContextTests {
    private let time = TestClock()

    @Test func withoutALimitThereIsNoTimeLeft() {
        #expect(RequestContext.test(timeouts: .none, clock: time.clock).timeLeft == nil)
    }

    @Test func theTimeLeftShrinksWithTheClock() {
        let context = RequestContext.test(clock: time.clock, options: CallOptions(timeout: .seconds(3)))
        #expect(context.deadline == time.now.advanced(by: .seconds(3)))
        #expect(context.timeLeft == .seconds(3))
        time.advance(by: .milliseconds(500))
        #expect(context.timeLeft == .milliseconds(2500))
        time.advance(by: .seconds(4))
        #expect(context.timeLeft == .milliseconds(-1500))
    }

    @Test func theOptionsLimitComesBeforeTheTotalOne() {
        let timeouts = Timeouts(total: .seconds(9))
        #expect(RequestContext.test(timeouts: timeouts, clock: time.clock).timeLeft == .seconds(9))
        let options = CallOptions(timeout: .seconds(2))
        #expect(RequestContext.test(timeouts: timeouts, clock: time.clock, options: options).timeLeft == .seconds(2))
    }

    @Test func theExchangesOwnDeadlineComesFirst() {
        let context = RequestContext.test(clock: time.clock, options: CallOptions(timeout: .seconds(60)))
        let attempt = context.call.beginAttempt(deadline: time.now.advanced(by: .seconds(5)))
        #expect(RequestContext(context, attempt: attempt).timeLeft == .seconds(5))
    }
}
