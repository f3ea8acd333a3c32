import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of several replicas that drain one store while they are killed, stopped, cut off and slow. Nothing is lost, a
/// lane has one sender and its order, and only requests that were under way at a fault are sent twice.
@Suite(.serialized, .computes(for: .seconds(3600)))
struct SharedQueueSimulationTests {
    private static let isLong = ProcessInfo.processInfo.environment["NETKIT_LONG"] == "1"
    private static let seeds: [UInt64] = isLong ? Array(1...1000) : [1, 2, 3]

    /// The server, which records the start and end of each attempt and knows which replicas are faulty.
    private final class Server: Sendable {
        private struct Attempt {
            let replica: Int
            let number: Int
        }

        private struct State {
            var active: [String: [Int: Attempt]] = [:]
            var last = 0
            var applied: [Int: Int] = [:]
            var order: [String: [Int]] = [:]
            var faulty: Set<Int> = []
            var stopped: Set<Int> = []
            /// The requests that were under way at a fault, and may be sent once more for each.
            var excused: [Int: Int] = [:]
            var complaints: [String] = []
            /// The requests that ended a moment ago, and might not be stored yet.
            var ended: [(attempt: Attempt, time: Duration)] = []
        }

        private let state = Locked(State())
        private let simulation: Simulation

        init(_ simulation: Simulation) {
            self.simulation = simulation
        }

        func begin(_ number: Int, lane: String, replica: Int) -> Int {
            state.withLock { state in
                if state.faulty.contains(replica) { state.excused[number, default: 0] += 1 }
                let others = (state.active[lane] ?? [:]).values.filter { !state.faulty.contains($0.replica) }
                if let other = others.first, !state.faulty.contains(replica) {
                    state.complaints.append("\(number) and \(other.number) of lane \(lane) were sent at once")
                }
                state.last += 1
                state.active[lane, default: [:]][state.last] = Attempt(replica: replica, number: number)
                return state.last
            }
        }

        func apply(_ number: Int, lane: String) {
            state.withLock { state in
                state.applied[number, default: 0] += 1
                if state.applied[number] == 1 { state.order[lane, default: []].append(number) }
            }
        }

        func end(_ attempt: Int, lane: String) {
            let now = simulation.now
            state.withLock { state in
                guard let ended = state.active[lane]?.removeValue(forKey: attempt) else { return }
                state.ended.removeAll { $0.time < now - .seconds(1) }
                state.ended.append((ended, now))
            }
        }

        func excuse(_ number: Int) {
            state.withLock { $0.excused[number, default: 0] += 1 }
        }

        /// Notes that a replica fails: the requests that it sends at this moment may be sent twice.
        func fail(_ replica: Int, _ isFaulty: Bool) {
            let now = simulation.now
            state.withLock { state in
                if isFaulty { state.faulty.insert(replica) } else { state.faulty.remove(replica) }
                for ended in state.ended where ended.attempt.replica == replica && ended.time >= now - .seconds(1) {
                    state.excused[ended.attempt.number, default: 0] += 1
                }
                for attempts in state.active.values {
                    for attempt in attempts.values where attempt.replica == replica {
                        state.excused[attempt.number, default: 0] += 1
                    }
                }
            }
        }

        func stop(_ replica: Int, _ isStopped: Bool) {
            state.withLock { state in
                if isStopped { state.stopped.insert(replica) } else { state.stopped.remove(replica) }
            }
        }

        func isStopped(_ replica: Int) -> Bool { state.withLock { $0.stopped.contains(replica) } }

        func verdict(on numbers: [String: [Int]], replaced: Set<Int>) -> [String] {
            state.withLock { state in
                var complaints = state.complaints
                for (lane, expected) in numbers {
                    let order = state.order[lane] ?? []
                    if order != order.sorted() { complaints.append("lane \(lane) is out of order: \(order)") }
                    let lost = Set(expected).subtracting(order).subtracting(replaced)
                    if !lost.isEmpty { complaints.append("lane \(lane) lost \(lost)") }
                }
                for (number, count) in state.applied where count > 1 + (state.excused[number] ?? 0) {
                    complaints.append("\(number) was applied \(count) times")
                }
                return complaints
            }
        }
    }

    /// One process of several with a queue, a clock and a connection of its own.
    private struct Process: Sendable {
        let number: Int
        let replica: InMemorySharedOfflineStore.Replica
        let queue: OfflineQueue
    }

    private struct Sender: RequestSending {
        let number: Int
        let server: Server
        let simulation: Simulation

        func send(_ request: HTTPRequest, options: CallOptions) async throws -> HTTPResponse {
            let parts = request.url.path(percentEncoded: false).split(separator: "/").map(String.init)
            let (lane, entry) = (parts[0], Int(parts[1]) ?? 0)
            // A stopped replica sends when it continues.
            while server.isStopped(number) { try await simulation.sleep(for: .seconds(1)) }
            let attempt = server.begin(entry, lane: lane, replica: number)
            defer { server.end(attempt, lane: lane) }
            let chance = simulation.random.unitInterval()
            do {
                try await simulation.sleep(for: .milliseconds(1 + Int(chance * 400)))
            } catch {
                server.excuse(entry)
                throw error
            }
            if chance < 0.05 { return HTTPResponse(status: 503) }
            server.apply(entry, lane: lane)
            guard chance >= 0.08 else {
                server.excuse(entry)
                throw NetKitError(.connectionLost, "The response was lost.", outcome: .unknown)
            }
            return HTTPResponse(status: 204)
        }
    }

    /// The processes that drain one store, and the requests that they have taken.
    private struct Fleet {
        private static let size = 4

        private let simulation: Simulation
        private let server: Server
        private let store: InMemorySharedOfflineStore
        private var random: RandomSource
        private var processes: [Process] = []
        /// The processes that were killed, which stay in memory.
        private var graveyard: [Process] = []
        private var numbers: [UUID: Int] = [:]
        private(set) var lanes: [String: [Int]] = [:]
        private(set) var replaced: Set<Int> = []

        init(_ simulation: Simulation, _ server: Server, seed: UInt64) async throws {
            (self.simulation, self.server) = (simulation, server)
            store = InMemorySharedOfflineStore(clock: simulation.clock)
            random = .seeded(seed &* 31)
            for number in 0..<Self.size { processes.append(try await start(number)) }
        }

        private func start(_ number: Int) async throws -> Process {
            let replica = store.replica("\(number)")
            var configuration = OfflineQueue.Configuration()
            let skew = [0, 3600, -3600, 0.0][number % Self.size]
            configuration.clock = NetKitClock(SkewedClock(base: simulation.clock, skew: skew))
            configuration.random = simulation.random
            configuration.parallelLanes = 16
            configuration.policy = RetryPolicy(
                maxAttempts: .max,
                backoffStrategy: .exponential(base: .seconds(1), cap: .seconds(30)),
                jitter: .equal
            )
            let sender = Sender(number: number, server: server, simulation: simulation)
            let queue = try await OfflineQueue(store: replica, sender: sender, configuration: configuration)
            return Process(number: number, replica: replica, queue: queue)
        }

        /// Enqueues a request in a lane and a process by chance; a process that is cut off may refuse it.
        mutating func enqueue(_ number: Int, laneCount: Int) async throws {
            let lane = "\(Int.random(in: 0..<laneCount, using: &random))"
            var request = QueuedRequest.post("/\(lane)/\(number)", lane: lane)
            if number % 10 == 0 { request.coalescingKey = "subject" }
            let place = Int.random(in: 0..<Self.size, using: &random)
            if let receipt = try? await processes[place].queue.enqueue(request) {
                lanes[lane, default: []].append(number)
                numbers[receipt.id] = number
                for id in receipt.replaced { replaced.insert(numbers[id] ?? -1) }
            }
            try await simulation.sleep(for: .milliseconds(Int.random(in: 0..<200, using: &random)))
        }

        /// Kills, stops, cuts off or slows down a process by chance.
        mutating func failOne() async throws {
            let victim = Int.random(in: 0..<Self.size, using: &random)
            let process = processes[victim]
            let time = Duration.seconds(Int.random(in: 1...40, using: &random))
            server.fail(process.number, true)
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                server.stop(process.number, true)
                process.replica.stop()
                graveyard.append(process)
                processes[victim] = try await start(victim + Self.size * graveyard.count)
                return
            case 1:
                server.stop(process.number, true)
                process.replica.stop()
                try await simulation.sleep(for: time)
                process.replica.resume()
                server.stop(process.number, false)
            case 2:
                process.replica.cutOff()
                try await simulation.sleep(for: time)
                process.replica.cutOff(false)
            default:
                process.replica.slowDown(to: time / 4)
                try await simulation.sleep(for: .seconds(60))
                process.replica.slowDown(to: .zero)
            }
            // Requests that were sent late have arrived by then.
            try await simulation.sleep(for: .seconds(15))
            server.fail(process.number, false)
        }

        /// Lets the processes send what is left, closes them, and returns the number of requests that are still left.
        func drain() async throws -> Int {
            for _ in 0..<5000 where store.count > 0 { try await simulation.sleep(for: .seconds(10)) }
            let left = store.count
            for process in processes { await process.queue.close() }
            return left
        }
    }

    @Test(arguments: seeds)
    func nothingIsLostAndEachLaneHasOneSenderUnderAnyFailure(seed: UInt64) async throws {
        let simulation = Simulation(seed: seed)
        let laneCount = Self.isLong ? 1000 : 60
        let server = Server(simulation)
        let (left, complaints) = try await aside {
            try await simulation.run {
                var fleet = try await Fleet(simulation, server, seed: seed)
                for number in 0..<laneCount * 4 {
                    try await fleet.enqueue(number, laneCount: laneCount)
                    if number % 40 == 39 { try await fleet.failOne() }
                }
                return (try await fleet.drain(), server.verdict(on: fleet.lanes, replaced: fleet.replaced))
            }
        }
        #expect(left == 0)
        #expect(complaints.isEmpty, "\(complaints.prefix(5))")
    }
}
