import Testing

@testable import NetKit

struct QueueRankTests {
    private func urgency(_ priority: TaskPriority, at second: Double, _ number: Int = 0) -> QueueRank {
        QueueRank(priority, arrival: .seconds(second), number: number, headStart: .seconds(1))
    }

    @Test func priorityComesBeforeArrival() {
        let order = [TaskPriority.high, .medium, .low, .background].map { urgency($0, at: 5) }
        #expect(order == order.sorted())
        #expect(urgency(.high, at: 5.9) < urgency(.medium, at: 5))
    }

    @Test func ofOnePriorityTheFirstToArriveComesFirst() {
        #expect(urgency(.low, at: 1) < urgency(.low, at: 1.001))
        #expect(urgency(.low, at: 1, 1) < urgency(.low, at: 1, 2))
    }

    @Test(arguments: [(TaskPriority.medium, 1.0), (.low, 2), (.background, 4)])
    func aCallRisesWhileItWaits(priority: TaskPriority, headStart: Double) {
        #expect(urgency(.high, at: headStart - 0.1) < urgency(priority, at: 0))
        #expect(urgency(priority, at: 0) < urgency(.high, at: headStart + 0.1))
    }

    @Test func prioritiesOutsideTheUsualRangeDoNotTrap() {
        for priority in [TaskPriority(rawValue: 0), TaskPriority(rawValue: 255)] {
            _ = QueueRank(priority, arrival: .distantFuture, number: .max, headStart: .seconds(Int64.max))
        }
        #expect(!(urgency(TaskPriority(rawValue: 255), at: 1) < urgency(.high, at: 1)))
    }
}
