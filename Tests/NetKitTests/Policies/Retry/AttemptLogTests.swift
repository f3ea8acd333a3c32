import Testing

@testable import NetKit

struct AttemptLogTests {
    private static func record(_ number: Int) -> AttemptRecord {
        AttemptRecord(
            number: number,
            startedAfter: .seconds(number),
            duration: .milliseconds(12),
            status: 503,
            code: nil,
            outcome: .answered,
            serverDelay: nil,
            delay: .seconds(1)
        )
    }

    @Test func saysEveryAttemptInWords() {
        let lost = AttemptRecord(
            number: 2,
            startedAfter: .milliseconds(500),
            duration: .milliseconds(3),
            status: nil,
            code: .connectionLost,
            outcome: .unknown,
            serverDelay: nil,
            delay: .seconds(2)
        )
        let asked = AttemptRecord(
            number: 3,
            startedAfter: .milliseconds(2500),
            duration: .zero,
            status: 429,
            code: nil,
            outcome: .answered,
            serverDelay: .seconds(600),
            delay: nil
        )
        let log = AttemptLog().adding(Self.record(1), stop: nil).adding(lost, stop: nil)
            .adding(asked, stop: .serverDelayTooLong)
        #expect(
            log.description == """
                attempt 1 after 1 s: status 503 in 12 ms, waited 1 s; \
                attempt 2 after 500 ms: connectionLost, outcome unknown in 3 ms, waited 2 s; \
                attempt 3 after 2.5 s: status 429 in 0 µs, the server asked for 10 min; \
                not retried: the server asked to wait longer than the policy allows
                """
        )
        #expect(log.count == 3)
    }

    @Test func aWaitThatIsCutShortIsNoWait() {
        let log = AttemptLog().adding(Self.record(1), stop: nil).adding(Self.record(2), stop: nil).stopped(.cancelled)
        #expect(log.attempts.map(\.delay) == [.seconds(1), nil])
        #expect(
            log.description == """
                attempt 1 after 1 s: status 503 in 12 ms, waited 1 s; \
                attempt 2 after 2 s: status 503 in 12 ms; \
                then ended from outside
                """
        )
    }

    @Test func ofVeryManyAttemptsTheFirstAndTheLastAreKept() {
        var log = AttemptLog()
        for number in 1...1000 { log = log.adding(Self.record(number), stop: nil) }
        #expect(log.attempts.map(\.number) == Array(1...50) + Array(951...1000))
        #expect(log.omittedCount == 900)
        #expect(log.count == 1000)
        #expect(log.stop == nil)
        #expect(log.description.contains("; 900 more; "))
    }

    @Test func theNumbersOfALogGoOnAfterThoseOfAnother() {
        var later = AttemptLog()
        for number in 1...150 { later = later.adding(Self.record(number), stop: nil) }
        let log = AttemptLog().adding(Self.record(1), stop: nil).adding(later, after: .seconds(1))
        #expect(log.attempts.last?.number == 151)
        #expect(log.count == 151)
    }

    @Test func aCancelledAttemptIsNamed() {
        let record = AttemptRecord(
            number: 1,
            startedAfter: .zero,
            duration: .zero,
            status: nil,
            code: nil,
            outcome: .notSent,
            serverDelay: nil,
            delay: nil
        )
        #expect(record.description == "attempt 1: cancelled, not sent in 0 µs")
    }
}
