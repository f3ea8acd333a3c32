import Dispatch
import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

@testable import NetKitPostgres

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tests of processes that drain one outbox and are killed meanwhile. Nothing is lost, a lane has one sender and its
/// order, and only requests that were under way are sent twice.
///
/// With `NETKIT_LONG=1` there are 1,000 lanes of 100, and leases of 15 seconds.
@Suite(.needs(.postgres), .needsTheMachine(for: .seconds(900)), .serialized)
struct PostgresReplicaKillTests {
    private static let isLong = ProcessInfo.processInfo.environment["NETKIT_LONG"] == "1"
    private let laneCount = isLong ? 1000 : 40
    private let depth = isLong ? 100 : 15
    private let lease = isLong ? 15.0 : 1.0
    private let requestTime = isLong ? 5 : 20

    private struct Attempt {
        let number: Int
        let key: String
        let replica: String
        /// The fence of the process, if it still owned the lane.
        let fence: Int?
        let begin: UInt64
        var end: UInt64?
    }

    /// The time in which a process was stopped.
    private struct Stop {
        let replica: String
        let begin: UInt64
        let end: UInt64
    }

    private static var time: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// A process, with its output in a file of its own.
    private final class Probe: Sendable {
        let label: String
        let output: URL
        private let process: Locked<Process>
        private let input = Pipe()

        init(_ label: String, _ arguments: [String], in folder: TemporaryFolder) throws {
            self.label = label
            output = try folder.write(Data(), to: label)
            let process = Process()
            let command: URL = try #require(BuiltCommand.replicaProbe)
            process.executableURL = command
            process.arguments = arguments
            process.standardInput = input
            process.standardOutput = try FileHandle(forWritingTo: output)
            try process.runToBeKilled()
            self.process = Locked(process)
        }

        func signal(_ number: Int32) { process.withLock { _ = kill($0.processIdentifier, number) } }

        /// Ends its input, and waits until it has ended.
        func finish() async {
            try? input.fileHandleForWriting.close()
            while process.withLock({ $0.isRunning }) { try? await Task.sleep(for: .milliseconds(5)) }
        }

        var lines: [[Substring]] {
            let text = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
            return text.split(separator: "\n").map { $0.split(separator: " ") }
        }
    }

    private func fill(_ store: PostgresOutbox) async throws {
        for number in 0..<depth {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for lane in 0..<laneCount {
                    group.addTask {
                        var request = QueuedRequest(
                            HTTPRequest(.post, "/lane\(lane)/\(number)", body: .text("{}")),
                            lane: "lane\(lane)"
                        )
                        request.idempotencyKey = "\(lane)-\(number)"
                        _ = try await store.append(
                            OfflineAddition(request: request, byteCount: 100),
                            within: OfflineBounds()
                        )
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test(.enabled(if: BuiltCommand.replicaProbe != nil, "the program NetKitReplicaProbe is not beside the tests"))
    func losesNothingWhenProcessesAreKilled() async throws {
        let server = try await PostgresServer.shared.value
        let name = try await server.makeDatabase()
        let database = try await Postgres(server.url(name))
        let store = database.outbox("orders")
        try await fill(store)
        let folder = try TemporaryFolder()
        var started = 0
        func start() throws -> Probe {
            started += 1
            let label = "replica\(started)"
            let arguments = ["drain", server.url(name), "orders", label, "\(lease)", "\(requestTime)"]
            return try Probe(label, arguments, in: folder)
        }
        var probes = try (0..<4).map { _ in try start() }
        var (gone, killed, stops): ([Probe], Set<String>, [Stop]) = ([], [], [])
        var round = 0
        while try await store.tally().count > 0 {
            try await Task.sleep(for: Self.isLong ? .seconds(2) : .milliseconds(700))
            guard try await store.tally().count > 0 else { break }
            round += 1
            let index = round % probes.count
            // Some are stopped past their lease before.
            let isStopped = round % 3 == 0
            let begin = Self.time
            probes[index].signal(isStopped ? SIGSTOP : SIGKILL)
            if isStopped {
                try await Task.sleep(for: .seconds(lease * 1.3))
                probes[index].signal(SIGCONT)
                stops.append(Stop(replica: probes[index].label, begin: begin, end: Self.time))
            } else {
                killed.insert(probes[index].label)
                gone.append(probes[index])
                probes[index] = try start()
            }
        }
        for probe in probes { await probe.finish() }
        for probe in gone { await probe.finish() }
        await database.close()
        judge(gone + probes, killed, stops, killCount: round)
    }

    private func judge(_ probes: [Probe], _ killed: Set<String>, _ stops: [Stop], killCount: Int) {
        var lanes: [String: [Attempt]] = [:]
        for line in probes.flatMap(\.lines) where line.count == 7 {
            guard let time = UInt64(line[1]), let number = Int(line[3]) else { continue }
            let (lane, replica) = (String(line[2]), String(line[5]))
            if line[0] == "BEGIN" {
                lanes[lane, default: []].append(
                    Attempt(
                        number: number,
                        key: String(line[4]),
                        replica: replica,
                        fence: Int(line[6]),
                        begin: time
                    )
                )
            } else if let index = lanes[lane]?.lastIndex(where: { $0.number == number && $0.replica == replica }) {
                lanes[lane]?[index].end = time
            }
        }
        var repeats = 0
        for lane in 0..<laneCount {
            let attempts = (lanes["lane\(lane)"] ?? []).sorted { $0.begin < $1.begin }
            var order: [Int] = []
            for attempt in attempts where !order.contains(attempt.number) { order.append(attempt.number) }
            #expect(order == Array(0..<depth), "lane \(lane)")
            #expect(attempts.allSatisfy { $0.key == "\(lane)-\($0.number)" })
            repeats += attempts.count - order.count
            let fences = attempts.compactMap(\.fence)
            #expect(fences == fences.sorted(), "the fence of lane \(lane) fell")
            for (attempt, next) in zip(attempts, attempts.dropFirst()) {
                // It was stopped after it had checked that it owned the lane, and before it sent the request.
                let mayHaveLost = stops.contains { stop in
                    stop.replica == next.replica && stop.begin <= next.begin && next.begin <= stop.end + 2_000_000_000
                }
                #expect(next.fence != nil || mayHaveLost, "\(next) began without the lane")
                // A killed process ended without output, and before its lease did.
                guard let end = attempt.end else {
                    #expect(killed.contains(attempt.replica), "\(attempt)")
                    continue
                }
                guard end > next.begin else { continue }
                // Only a process that was stopped sees the end of its request after its lease.
                let wasStopped = stops.contains { stop in
                    stop.replica == attempt.replica && attempt.begin < stop.end && end > stop.begin
                        && next.begin > stop.begin
                }
                #expect(wasStopped, "\(attempt) was under way when \(next) began")
                #expect(next.fence != attempt.fence, "\(attempt) and \(next) had one owner")
            }
        }
        // At most the requests of one process that were under way, for each that was killed or stopped.
        #expect(repeats <= 32 * killCount)
    }
}
