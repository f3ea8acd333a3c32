import NetKit
import Testing

struct SleeperTests {
    @Test func endsOnce() async throws {
        let sleeper = Sleeper()
        try await withCheckedThrowingContinuation { continuation in
            #expect(sleeper.start(continuation))
            sleeper.end(.success(()))
            sleeper.end(.failure(CancellationError()))
        }
    }

    @Test func doesNotBeginWhenItWasCancelledBefore() async {
        let sleeper = Sleeper()
        sleeper.end(.failure(CancellationError()))
        await #expect(throws: CancellationError.self) {
            try await withCheckedThrowingContinuation { continuation in
                #expect(!sleeper.start(continuation))
            }
        }
    }

    @Test func takesItsAlarmAlong() async throws {
        let sleeper = Sleeper()
        let alarm = ClockAlarm {}
        try await withCheckedThrowingContinuation { continuation in
            #expect(sleeper.start(continuation))
            sleeper.set(alarm: alarm)
            #expect(alarm.isPending)
            sleeper.end(.success(()))
        }
        #expect(!alarm.isPending)
    }

    @Test func cancelsAnAlarmThatComesTooLate() async throws {
        let sleeper = Sleeper()
        let alarm = ClockAlarm {}
        try await withCheckedThrowingContinuation { continuation in
            #expect(sleeper.start(continuation))
            sleeper.end(.success(()))
        }
        sleeper.set(alarm: alarm)
        #expect(!alarm.isPending)
    }
}
