import NetKitTesting
import Testing

@testable import NetKit

struct HedgeRaceTests {
    @Test func theTokenOfASecondAttemptThatIsTooLateIsGivenBack() async throws {
        let time = TestClock()
        let call = Call(
            HTTPRequest(.get, "/x"),
            options: CallOptions(),
            delivery: .streamed,
            timeouts: .none,
            settings: .standard,
            start: time.clock.now
        )
        let (attempts, tokens) = (Shared(0), Shared(1))
        let race = HedgeRace(
            in: call,
            quality: { _ in .good },
            attempt: {
                _ = attempts.increment()
                return try await Promise<HTTPResponse>().cancellableValue()
            }
        )
        let caller = Shared<Task<HTTPResponse, any Error>?>(nil)
        let task = Task {
            try await race.run(after: .seconds(1), clock: time.clock) {
                tokens.withLock { $0 -= 1 }
                caller.withLock { $0 }?.cancel()
                return true
            } giveBack: {
                tokens.withLock { $0 += 1 }
            }
        }
        caller.withLock { $0 = task }
        await time.waitForAlarms(1)
        time.advance(by: .seconds(1))
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(attempts.withLock { $0 } == 1)
        #expect(tokens.withLock { $0 } == 1)
    }
}
