import NetKit
import Testing

@testable import NetKitTesting

struct TimelineTests {
    private func instant(_ nanoseconds: Int64) -> NetKitClock.Instant {
        NetKitClock.Instant(nanoseconds: nanoseconds)
    }

    @Test func returnsDueEntriesInTheOrderOfTimeAndThenOfArrival() {
        var timeline = Timeline<String>()
        for (key, (name, time)) in [("c", 30), ("a", 10), ("b", 20), ("A", 10)].enumerated() {
            timeline.insert(name, at: instant(Int64(time)), key: key)
        }
        var seen: [String] = []
        while let (name, _) = timeline.popFirst(until: instant(25)) { seen.append(name) }
        #expect(seen == ["a", "A", "b"])
        let next = timeline.next
        let removed = [timeline.remove(0), timeline.remove(0)]
        let last = timeline.next
        #expect(next == instant(30))
        #expect(removed == ["c", nil])
        #expect(last == nil)
        #expect(timeline.count == 0)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func behavesAsASortedListDoes(seed: UInt64) {
        var random = RandomSource.seeded(seed)
        var timeline = Timeline<Int>()
        var list: [(time: Int64, key: Int)] = []
        for key in 0..<3000 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0...2:
                let time = Int64.random(in: 0..<50, using: &random)
                timeline.insert(key, at: instant(time), key: key)
                list.append((time, key))
            case 3:
                guard let entry = list.randomElement(using: &random) else { continue }
                let removed = timeline.remove(entry.key)
                #expect(removed == entry.key)
                list.removeAll { $0.key == entry.key }
            default:
                let limit = Int64.random(in: 0..<50, using: &random)
                let first = list.min { ($0.time, $0.key) < ($1.time, $1.key) }
                let due = first.flatMap { $0.time <= limit ? $0.key : nil }
                let popped = timeline.popFirst(until: instant(limit))?.element
                #expect(popped == due)
                list.removeAll { $0.key == due }
            }
            #expect(timeline.count == list.count)
            let next = timeline.next
            #expect(next == list.map(\.time).min().map { instant($0) })
        }
    }
}
