import NetKitTesting
import Testing

@testable import NetKit

@Suite(.timeLimit(.minutes(5)))
struct BackoffWaitTests {
    private let time = TestClock()

    private var call: Call { RequestContext.test(clock: time.clock).call }

    @Test func endsAfterTheDelay() async throws {
        let wait = Task { [call] in try await BackoffWait.wait(.seconds(2), in: call) }
        await time.waitForSleepers(1)
        time.advance(by: .seconds(2))
        try await wait.value
        try await BackoffWait.wait(.zero, in: call)
    }

    @Test func endsWithTheReasonForWhichTheCallWasEnded() async throws {
        let call = call
        let wait = Task { try await BackoffWait.wait(.seconds(2), in: call) }
        await time.waitForSleepers(1)
        call.stop(.closed)
        await #expect { try await wait.value } throws: { NetKitError.Code.closed ~= $0 }
        await #expect { try await BackoffWait.wait(.zero, in: call) } throws: { NetKitError.Code.closed ~= $0 }
        #expect(time.sleeperCount == 0)
    }

    @Test func endsWhenItsTaskIsCancelled() async throws {
        let wait = Task { [call] in try await BackoffWait.wait(.seconds(2), in: call) }
        await time.waitForSleepers(1)
        wait.cancel()
        await #expect(throws: CancellationError.self) { try await wait.value }
        #expect(time.sleeperCount == 0)
    }
}
