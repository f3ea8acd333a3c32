import Testing

@testable import NetKit

struct IdleTimeoutTests {
    private let start = NetKitClock.Instant(nanoseconds: 1_000_000_000)

    private func after(_ milliseconds: Int) -> NetKitClock.Instant {
        start.advanced(by: .milliseconds(milliseconds))
    }

    private func watch(idle: Int? = nil, firstByte: Int? = nil, hasBody: Bool = false) -> IdleTimeout {
        let timeouts = Timeouts(
            connect: nil,
            firstByte: firstByte.map { .milliseconds($0) },
            idle: idle.map { .milliseconds($0) },
            attempt: nil
        )
        return IdleTimeout(timeouts: timeouts, hasBody: hasBody, start: start)
    }

    @Test func withoutLimitsNothingIsChecked() {
        let watch = watch()
        #expect(watch.nextCheck == nil)
        #expect(watch.expiry(at: after(1_000_000)) == nil)
    }

    @Test func silenceRunsOutWhenTheIdleLimitIsReached() {
        let watch = watch(idle: 50)
        #expect(watch.nextCheck == after(50))
        #expect(watch.expiry(at: after(49)) == nil)
        #expect(watch.expiry(at: after(50)) == .init(phase: .idle, limit: .milliseconds(50)))
    }

    @Test func everyMoveStartsTheSilenceAgain() {
        var watch = watch(idle: 50, hasBody: true)
        watch.noteSent(isEnd: false, at: after(30))
        #expect(watch.nextCheck == after(80))
        watch.noteReceived(at: after(70))
        #expect(watch.nextCheck == after(120))
        #expect(watch.expiry(at: after(119)) == nil)
    }

    @Test func theFirstByteIsAwaitedFromTheStartIfThereIsNoBody() {
        let watch = watch(idle: 500, firstByte: 80)
        #expect(watch.nextCheck == after(80))
        #expect(watch.expiry(at: after(80)) == .init(phase: .firstByte, limit: .milliseconds(80)))
    }

    @Test func theFirstByteIsAwaitedFromTheEndOfTheBody() {
        var watch = watch(firstByte: 80, hasBody: true)
        #expect(watch.nextCheck == nil)
        watch.noteSent(isEnd: false, at: after(100))
        #expect(watch.nextCheck == nil)
        watch.noteSent(isEnd: true, at: after(200))
        #expect(watch.nextCheck == after(280))
    }

    @Test func aBodyThatIsSentAgainEndsAgain() {
        var watch = watch(firstByte: 80, hasBody: true)
        watch.noteSent(isEnd: true, at: after(100))
        watch.noteSent(isEnd: false, at: after(150))
        #expect(watch.nextCheck == nil)
        watch.noteSent(isEnd: true, at: after(200))
        #expect(watch.nextCheck == after(280))
    }

    @Test func whatIsDeliveredAfterTheEndMovesTheEnd() {
        var watch = watch(idle: 100, firstByte: 80, hasBody: true)
        watch.noteDelivered(at: after(50))
        #expect(watch.nextCheck == after(150))
        watch.noteSent(isEnd: true, at: after(200))
        watch.noteDelivered(at: after(260))
        #expect(watch.nextCheck == after(340))
        #expect(watch.expiry(at: after(339)) == nil)
        #expect(watch.expiry(at: after(340))?.phase == .firstByte)
    }

    @Test func aResponseEndsTheWaitForTheFirstByteEvenInTheMiddleOfTheBody() {
        var watch = watch(firstByte: 80, hasBody: true)
        watch.noteReceived(at: after(10))
        watch.noteSent(isEnd: true, at: after(20))
        #expect(watch.nextCheck == nil)
        #expect(watch.expiry(at: after(1000)) == nil)
    }
}
