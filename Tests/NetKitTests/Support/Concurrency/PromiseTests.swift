import NetKitTesting
import Testing

@testable import NetKit

@Suite(.timeLimit(.minutes(5)))
struct PromiseTests {
    private let turn = Promise<Int>()

    @Test func anEndBeforeTheWaitIsKept() async throws {
        #expect(turn.resolve(.success(7)))
        #expect(try await turn.value() == 7)
    }

    @Test func theFirstEndCounts() async throws {
        #expect(turn.resolve(.success(1)))
        #expect(!turn.resolve(.success(2)))
        #expect(!turn.resolve(.failure(CancellationError())))
        #expect(try await turn.value() == 1)
    }

    @Test func aFailureIsThrown() async {
        turn.resolve(.failure(NetKitError(.closed, "over")))
        let error = await #expect(throws: NetKitError.self) { try await turn.value() }
        #expect(error?.code == .closed)
    }

    @Test func everyWaitEnds() async throws {
        let turn = turn
        let waits = (0..<10).map { _ in Task { try await turn.value() } }
        turn.resolve(.success(3))
        for wait in waits { #expect(try await wait.value == 3) }
    }

    @Test func cancellingATaskEndsItsWait() async {
        let turn = turn
        let wait = Task { try await turn.cancellableValue() }
        wait.cancel()
        await #expect(throws: CancellationError.self) { try await wait.value }
    }

    @Test func aBoundEndsAlthoughItsClockStandsStill() async {
        let time = TestClock()
        #expect(await Promise<Bool>().value(or: false, after: .milliseconds(1), onSystemOr: time.clock) == false)
        #expect(time.alarmCount == 0)
    }

    @Test func aBoundEndsOnAClockThatRunsFaster() async {
        let time = TestClock()
        async let isResolved = Promise<Bool>().value(or: false, after: .seconds(3600), onSystemOr: time.clock)
        await time.waitForAlarms(1)
        time.advance(by: .seconds(3600))
        #expect(await isResolved == false)
    }

    @Test func aBoundLeavesTheValue() async {
        let (time, turn) = (TestClock(), Promise<Bool>())
        async let isResolved = turn.value(or: false, after: .seconds(3600), onSystemOr: time.clock)
        await time.waitForAlarms(1)
        turn.resolve(.success(true))
        #expect(await isResolved)
        #expect(time.alarmCount == 0)
    }

    @Test func aWaitingTaskIsWoken() async throws {
        for number in 0..<200 {
            let turn = Promise<Int>()
            async let value = turn.value()
            async let isFirst = turn.resolve(.success(number))
            #expect(try await value == number)
            #expect(await isFirst)
        }
    }
}
