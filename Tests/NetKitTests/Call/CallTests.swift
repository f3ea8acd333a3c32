import Foundation
import NetKitTesting
import Testing

@testable import NetKit

struct CallTests {
    private let call = RequestContext.test().call

    @Test(
        arguments: [
            ([], .notSent),
            ([[]], .notSent),
            ([[.handedOver]], .unknown),
            ([[.handedOver, .connecting]], .notSent),
            ([[.handedOver, .answered]], .answered),
            ([[.handedOver, .connecting], [.handedOver, .connecting]], .notSent),
            ([[.handedOver, .sending], [.handedOver, .connecting]], .unknown),
            ([[.handedOver, .answered], []], .unknown),
            ([[.handedOver, .answered], [.handedOver, .connecting], [.handedOver, .connecting]], .unknown),
            ([[.handedOver, .connecting], [.handedOver, .sending]], .unknown),
            ([[.handedOver, .sending], [.handedOver, .answered]], .answered),
        ] as [([[AttemptTests.Report]], NetKitError.Outcome)]
    )
    func theOutcomeCountsEveryExchange(exchanges: [[AttemptTests.Report]], outcome: NetKitError.Outcome) {
        for reports in exchanges {
            let attempt = call.beginAttempt(deadline: nil)
            for report in reports { report.note(to: attempt) }
        }
        #expect(call.outcome == outcome)
        #expect(call.attemptCount == exchanges.count)
    }

    @Test func anExchangeThatSendsWhileALaterOneConnectsCounts() {
        let first = call.beginAttempt(deadline: nil)
        first.noteHandedOver()
        first.noteConnecting()
        let second = call.beginAttempt(deadline: nil)
        second.noteHandedOver()
        second.noteConnecting()
        #expect(call.outcome == .notSent)
        first.noteSending()
        #expect(call.outcome == .unknown)
        second.noteAnswered()
        #expect(call.outcome == .answered)
    }

    @Test func anExchangeThatMayHaveArrivedCountsHoweverManyFollow() {
        let first = call.beginAttempt(deadline: nil)
        first.noteHandedOver()
        first.noteOver()
        for _ in 0..<3 {
            let later = call.beginAttempt(deadline: nil)
            later.noteHandedOver()
            later.noteNotSent()
            later.noteOver()
            #expect(call.outcome == .unknown)
        }
    }

    @Test func attemptsAreNumberedFromOne() {
        #expect(call.attemptCount == 0)
        #expect((1...3).map { _ in call.beginAttempt(deadline: nil).number } == [1, 2, 3])
        #expect(call.attemptCount == 3)
    }

    @Test func numbersAreGivenOnceUnderConcurrency() async {
        let call = call
        let numbers = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<200 { group.addTask { call.beginAttempt(deadline: nil).number } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(numbers.sorted() == Array(1...200))
    }

    @Test func hasTheValuesOfItsOptions() {
        struct Feature: CallTag { var name: String }
        var options = CallOptions(
            id: CallID(),
            priority: .high,
            idempotencyKey: .value("k-1"),
            principal: Principal("tenant-7")
        )
        options.tags[Feature.self] = Feature(name: "checkout")
        let context = RequestContext.test(delivery: .streamed, timeouts: .none, options: options)
        #expect(context.id == options.id)
        #expect(context.call.priority == .high)
        #expect(context.call.idempotencyKey == "k-1")
        #expect(context.call.principal == Principal("tenant-7"))
        #expect(context.call.principal?.description == "tenant-7")
        #expect(context.tags[Feature.self]?.name == "checkout")
        #expect(context.delivery == .streamed)
        #expect(context.timeouts == .none)
        #expect(context.deadline == nil)
        #expect(context.attempt.number == 0)
        #expect(context.attempt.outcome == .notSent)
    }
}
