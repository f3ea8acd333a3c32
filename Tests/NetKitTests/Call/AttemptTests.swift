import NetKitTesting
import Testing

@testable import NetKit

struct AttemptTests {
    /// Tests of the reports of a transport, in order.
    enum Report: CaseIterable, Sendable {
        case handedOver, connecting, sending, answered

        func note(to attempt: Attempt) {
            switch self {
            case .handedOver: attempt.noteHandedOver()
            case .connecting: attempt.noteConnecting()
            case .sending: attempt.noteSending()
            case .answered: attempt.noteAnswered()
            }
        }
    }

    @Test(
        arguments: [
            ([], .notSent),
            ([.handedOver], .unknown),
            ([.handedOver, .connecting], .notSent),
            ([.handedOver, .connecting, .sending], .unknown),
            ([.handedOver, .sending], .unknown),
            ([.handedOver, .answered], .answered),
            ([.handedOver, .connecting, .sending, .answered], .answered),
            // An interceptor after `.limit` called `next` again: the first attempt stays unknown while the next one
            // connects.
            ([.handedOver, .answered, .handedOver, .connecting], .unknown),
            ([.handedOver, .sending, .handedOver, .connecting], .unknown),
            ([.handedOver, .connecting, .handedOver, .connecting], .notSent),
            ([.handedOver, .answered, .handedOver, .connecting, .sending, .answered], .answered),
        ] as [([Report], NetKitError.Outcome)]
    )
    func theOutcomeFollowsWhatTheTransportReports(reports: [Report], outcome: NetKitError.Outcome) {
        let attempt = Attempt(number: 1, start: .init(nanoseconds: 0), deadline: nil)
        for report in reports { report.note(to: attempt) }
        #expect(attempt.outcome == outcome)
    }

    /// A transport may report that it connects and sends, and how much of a body it has sent, or nothing.
    @Test(
        arguments: [
            (0, [], "awaiting"), (1000, [], "sendingOrAwaiting"), (nil, [], "sendingOrAwaiting"),
            (1000, [10], "sending"), (1000, [10, 990], "awaiting"), (nil, [10], "sendingOrAwaiting"),
        ] as [(Int64?, [Int64], String)]
    )
    func theStepFollowsFromTheSizeOfTheBody(length: Int64?, sent: [Int64], step: String) {
        let attempt = Attempt(number: 1, start: .init(nanoseconds: 0), deadline: nil)
        attempt.noteHandedOver(bodyLength: length)
        for count in sent { attempt.noteSent(count) }
        #expect("\(attempt.activity)" == step)
    }

    @Test func aBodyThatIsSentAgainCountsOnce() {
        let attempt = Attempt(number: 1, start: .init(nanoseconds: 0), deadline: nil)
        attempt.noteHandedOver(bodyLength: 100)
        attempt.noteSent(100)
        attempt.noteSentAgain(from: 0)
        attempt.noteSent(40)
        #expect(attempt.sentByteCount == 40)
        #expect("\(attempt.activity)" == "sending")
    }

    @Test func aSecondExchangeBeginsAgain() {
        let attempt = Attempt(number: 1, start: .init(nanoseconds: 0), deadline: nil)
        attempt.noteHandedOver(bodyLength: 100)
        attempt.noteSent(100)
        attempt.noteOver()
        attempt.noteHandedOver(bodyLength: 100)
        attempt.noteSent(40)
        #expect(!attempt.isOver)
        #expect(attempt.sentByteCount == 40)
    }

    @Test func knowsItsNumberAndDeadline() {
        let attempt = Attempt(number: 3, start: .init(nanoseconds: 0), deadline: .init(nanoseconds: 7))
        #expect(attempt.number == 3)
        #expect(attempt.deadline == .init(nanoseconds: 7))
    }
}
