import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of a queue that is killed again and again while it adds entries and delivers them.
@Suite(.needsTheMachine(for: .seconds(1200)), .serialized, .needsQueueProbe)
struct QueueKillTests {
    /// The output of the killed processes, over all rounds.
    private struct Ledger {
        var acknowledged: Set<String> = []
        var done: Set<String> = []
        /// The keys under which each entry was enqueued, sent and found again.
        var keys: [String: Set<String>] = [:]
        /// Lane and number of each acknowledged entry.
        var places: [String: (lane: String, number: String)] = [:]
        /// The entries in the order in which each was sent first.
        var sent: [String] = []

        mutating func add(_ lines: [[String]]) {
            for words in lines where words.count > 1 {
                switch words[0] {
                case "ACK": acknowledged.insert(words[1])
                case "DONE": done.insert(words[1])
                case "KEY" where words.count == 5:
                    keys[words[1], default: []].insert(words[2])
                    places[words[1]] = (words[3], words[4])
                case "SEND" where words.count == 3:
                    keys[words[1], default: []].insert(words[2])
                    if !sent.contains(words[1]) { sent.append(words[1]) }
                default: break
                }
            }
        }
    }

    /// With `NETKIT_LONG=1`, there are a thousand rounds, which take some minutes. Otherwise, there are enough to be
    /// killed at every step.
    @Test(arguments: [false, true])
    func nothingIsLostWhenItIsKilledAtAnyMoment(isSmall: Bool) async throws {
        let isLong = ProcessInfo.processInfo.environment["NETKIT_LONG"] == "1"
        let folder = try TemporaryFolder()
        let queue = folder.file("queue").path(percentEncoded: false)
        let environment = isSmall ? ["NETKIT_PROBE_SMALL": "1"] : [:]
        let random = RandomSource.seeded(isSmall ? 1 : 2)
        var ledger = Ledger()
        // The time to begin depends on the machine.
        let clock = ContinuousClock()
        let start = clock.now
        ledger.add(try await QueueProbe.run(["write", queue, "0", "1"], environment: environment).lines)
        let beginning = start.duration(to: clock.now)
        let unkilled = ledger.acknowledged.count
        var round = 0
        // Some have to be acknowledged by processes that are killed; how many depends on the machine.
        while round < (isLong ? 500 : 12) || ledger.acknowledged.count == unkilled, round < 1000 {
            round += 1
            let delay = beginning * (0.2 + random.unitInterval()) + .milliseconds(Int(random.unitInterval() * 60))
            ledger.add(
                try await QueueProbe.run(["write", queue, "\(round)"], killAfter: delay, environment: environment).lines
            )
            let (status, lines) = try await QueueProbe.run(["read", queue], environment: environment)
            #expect(status == 0, "round \(round)")
            let entries = lines.filter { $0.count == 6 }
            let found = Set(entries.map { $0[0] })
            #expect(ledger.acknowledged.subtracting(ledger.done).subtracting(found).isEmpty, "round \(round)")
            for entry in entries { ledger.keys[entry[0], default: []].insert(entry[3]) }
            let names = try FileManager.default.subpathsOfDirectory(atPath: queue)
            #expect(!names.contains { $0.hasSuffix(".tmp") || $0.hasPrefix("quarantine") }, "round \(round)")
        }
        #expect(ledger.acknowledged.count > unkilled)
        #expect(ledger.keys.values.allSatisfy { $0.count == 1 })
        for lane in ["left", "right"] {
            let numbers = ledger.sent.compactMap { id in ledger.places[id].flatMap { $0.lane == lane ? $0.number : nil }
            }
            .map { text in text.split(separator: "-").compactMap { Int($0) } }
            let isSorted = zip(numbers, numbers.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) }
            #expect(isSorted, "lane \(lane)")
        }
    }
}
