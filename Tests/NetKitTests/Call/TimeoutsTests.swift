import Testing

@testable import NetKit

struct TimeoutsTests {
    @Test func theDefaultsAreThoseOfTheTable() {
        let standard = Timeouts.standard
        #expect(standard.connect == .seconds(10))
        #expect(standard.firstByte == nil)
        #expect(standard.idle == .seconds(30))
        #expect(standard.attempt == .seconds(30))
        #expect(standard.total == nil)
        #expect(Timeouts() == standard)
    }

    @Test func noneMeansNoLimit() {
        let none = Timeouts.none
        #expect([none.connect, none.firstByte, none.idle, none.attempt, none.total] == [nil, nil, nil, nil, nil])
        #expect(none.problem == nil)
    }

    @Test(arguments: [Duration.zero, .nanoseconds(-1), .seconds(-30)])
    func zeroAndLessCannotBeUsed(value: Duration) {
        let limits: [(String, WritableKeyPath<Timeouts, Duration?>)] = [
            ("connect", \.connect), ("firstByte", \.firstByte), ("idle", \.idle), ("attempt", \.attempt),
            ("total", \.total),
        ]
        for (name, limit) in limits {
            var timeouts = Timeouts.standard
            timeouts[keyPath: limit] = value
            #expect(timeouts.problem?.name == name)
            #expect(timeouts.problem?.value == value)
            timeouts[keyPath: limit] = .nanoseconds(1)
            #expect(timeouts.problem == nil)
        }
    }
}
