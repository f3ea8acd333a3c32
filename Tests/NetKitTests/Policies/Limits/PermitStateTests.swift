import NetKitTesting
import Testing

@testable import NetKit

struct PermitStateTests {
    private func urgency(_ number: Int, _ priority: TaskPriority = .medium, at second: Double = 0) -> QueueRank {
        QueueRank(priority, arrival: .seconds(second), number: number, headStart: .seconds(1))
    }

    @Test func permitsAreBoundedForEachServerAndInAll() {
        var book = PermitState<Int>(maxTotal: 3, maxPerHost: 2, maxWaiting: 10)
        #expect((1...3).map { _ in book.take(.numbered(1)) } == [true, true, false])
        #expect((1...2).map { _ in book.take(.numbered(2)) } == [true, false])
        #expect(book.running == 3)
        #expect(book.giveBack(.numbered(1)) == [])
        #expect(book.take(.numbered(2)) == true)
        #expect(book.giveBack(.numbered(1)) == [])
        #expect(book.take(.numbered(2)) == false)
    }

    @Test func aFullServerDoesNotHoldUpTheOthers() {
        var book = PermitState<Int>(maxTotal: 10, maxPerHost: 1, maxWaiting: 10)
        #expect(book.enter(.numbered(1), number: 1, urgency(1), 1) == .granted)
        #expect(book.enter(.numbered(1), number: 2, urgency(2), 2) == .waiting)
        #expect(book.enter(.numbered(2), number: 3, urgency(3), 3) == .granted)
        #expect(book.giveBack(.numbered(2)) == [])
        #expect(book.giveBack(.numbered(1)) == [2])
    }

    @Test func aReturnedPermitGoesToTheMostUrgentEligibleWaiter() {
        var book = PermitState<Int>(maxTotal: 2, maxPerHost: 2, maxWaiting: 10)
        for _ in 1...2 { _ = book.take(.numbered(0)) }
        for (number, priority) in [(1, TaskPriority.low), (2, .background), (3, .high), (4, .medium)] {
            #expect(book.enter(.numbered(number), number: number, urgency(number, priority), number) == .waiting)
        }
        let order = [0, 3, 4, 1, 2].map { book.giveBack(.numbered($0)) }
        #expect(order == [[3], [4], [1], [2], []])
    }

    @Test func theLineIsBounded() {
        var book = PermitState<Int>(maxTotal: 1, maxPerHost: 1, maxWaiting: 2)
        let entries = (1...5).map { book.enter(.numbered(1), number: $0, urgency($0), $0) }
        #expect(entries == [.granted, .waiting, .waiting, .refused, .refused])
        #expect(book.leave(.numbered(1), number: 2) == 2)
        #expect(book.leave(.numbered(1), number: 2) == nil)
        #expect(book.enter(.numbered(1), number: 6, urgency(6), 6) == .waiting)
    }

    @Test func aCallThatLeavesTakesItsRankWithIt() {
        var book = PermitState<Int>(maxTotal: 1, maxPerHost: 1, maxWaiting: 10)
        _ = book.take(.numbered(0))
        for (number, host, priority) in [(1, 1, TaskPriority.high), (2, 1, .background), (3, 2, .medium)] {
            #expect(book.enter(.numbered(host), number: number, urgency(number, priority), number) == .waiting)
        }
        #expect(book.leave(.numbered(1), number: 1) == 1)
        #expect(book.giveBack(.numbered(0)) == [3])
    }

    @Test func aCallWithAPermitIsNoLongerInLine() {
        var book = PermitState<Int>(maxTotal: 1, maxPerHost: 1, maxWaiting: 2)
        _ = book.take(.numbered(1))
        _ = book.enter(.numbered(1), number: 1, urgency(1), 1)
        #expect(book.giveBack(.numbered(1)) == [1])
        #expect(book.leave(.numbered(1), number: 1) == nil)
        #expect(book.running == 1)
    }

    @Test func permitsThatWereNeverTakenCannotBeGivenBack() {
        var book = PermitState<Int>(maxTotal: 1, maxPerHost: 1, maxWaiting: 2)
        #expect(book.giveBack(.numbered(1)) == [])
        #expect(book.running == 0)
        #expect(book.take(.numbered(1)) == true)
        #expect(book.take(.numbered(1)) == false)
    }

    @Test func idleServersAreForgotten() {
        var book = PermitState<Int>(maxTotal: 1000, maxPerHost: 1, maxWaiting: 2)
        for number in 0..<500 { _ = book.take(.numbered(number)) }
        #expect(book.hostCount == 500)
        for number in 0..<500 { _ = book.giveBack(.numbered(number)) }
        #expect(book.hostCount <= 64)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func noPermitIsLostAndNoWaiterIsForgotten(seed: UInt64) {
        var random = RandomSource.seeded(seed)
        let total = Int.random(in: 1...8, using: &random)
        let perHost = Int.random(in: 1...4, using: &random)
        let queue = Int.random(in: 0...30, using: &random)
        var book = PermitState<Int>(maxTotal: total, maxPerHost: perHost, maxWaiting: queue)
        var holding: [(number: Int, host: Int)] = []
        var waiting: [Int: Int] = [:]
        var now = 0.0
        for number in 0..<4000 {
            now += Double.random(in: 0...0.3, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let host = Int.random(in: 0..<5, using: &random)
                let priority = [TaskPriority.high, .medium, .low, .background].randomElement(using: &random) ?? .medium
                switch book.enter(.numbered(host), number: number, urgency(number, priority, at: now), number) {
                case .granted: holding.append((number, host))
                case .waiting: waiting[number] = host
                case .refused: #expect(waiting.count == queue)
                }
            case 5..<8:
                guard let index = holding.indices.randomElement(using: &random) else { continue }
                let host = holding.remove(at: index).host
                for granted in book.giveBack(.numbered(host)) {
                    guard let host = waiting.removeValue(forKey: granted) else {
                        Issue.record("\(granted) did not wait")
                        continue
                    }
                    holding.append((granted, host))
                }
            default:
                guard let (number, host) = waiting.randomElement(using: &random) else { continue }
                #expect(book.leave(.numbered(host), number: number) == number)
                waiting.removeValue(forKey: number)
            }
            #expect(book.running == holding.count && holding.count <= total)
            #expect(book.waiting == waiting.count && waiting.count <= queue)
            for host in 0..<5 { #expect(holding.count { $0.host == host } <= perHost) }
            // No call waits that could proceed.
            if holding.count < total {
                for host in Set(waiting.values) { #expect(holding.count { $0.host == host } == perHost) }
            }
        }
        // After all calls end, all waiting calls have had their turn.
        while let (_, host) = holding.popLast() {
            for granted in book.giveBack(.numbered(host)) {
                if let host = waiting.removeValue(forKey: granted) { holding.append((granted, host)) }
            }
        }
        #expect(waiting.isEmpty)
        #expect(book.running == 0)
        #expect(book.waiting == 0)
    }

    @Test func aBackgroundCallIsNotStarvedByAStreamOfUrgentOnes() {
        var book = PermitState<Int>(maxTotal: 1, maxPerHost: 1, maxWaiting: 1000)
        _ = book.take(.numbered(1))
        _ = book.enter(.numbered(1), number: 0, urgency(0, .background), 0)
        // Two urgent calls arrive for each one that ends: the line grows without end, and the first one is still
        // served.
        var served = -1
        for second in 1...100 where served != 0 {
            for half in 0..<2 {
                let number = second * 2 + half
                _ = book.enter(.numbered(1), number: number, urgency(number, .high, at: Double(second) / 10), number)
            }
            served = book.giveBack(.numbered(1)).first ?? -1
        }
        #expect(served == 0)
    }
}
