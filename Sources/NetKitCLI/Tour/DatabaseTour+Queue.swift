import Foundation
import NetKit
import NetKitPostgres
import NetKitTesting

extension DatabaseTour {
    private static let lanes = (1...6).map { "customer-\($0)" }

    func openQueue(of replica: Replica) async throws -> TourQueue {
        heading("2. One queue, and two processes that send from it")
        server.on(.post, "/*/*", .status(.created))
        return try await TourQueue(replica.label, replica.database, server.baseURL)
    }

    func drainTogether(_ queue: TourQueue, _ first: Replica) async throws {
        try startChild()
        try await wait {
            let shares = try await first.database.replicas().map(\.shardCount)
            return shares == [TourQueue.shards / 2, TourQueue.shards / 2] && queue.store.owned.count == shares[0]
        }
        text("Process A, this one, and its child B each have \(TourQueue.shards / 2) of \(TourQueue.shards) shards.")
        try await add(1...5, to: queue)
        try await wait { received.count >= Self.lanes.count * 5 }
        let all = received
        tell(all)
        let isOrdered = Self.lanes.allSatisfy { lane in all.filter { $0.lane == lane }.map(\.number) == Array(1...5) }
        verdict(isOrdered, "\(all.count) requests: every lane in order, and by one process at a time")
    }

    func takeOver(_ queue: TourQueue) async throws {
        heading("3. A process that ends without a word")
        server.removeAllRequests()
        server.on(.post, "/*/*", .status(.created).pausing(.milliseconds(60)))
        try await add(6...10, to: queue)
        try await wait { received.contains { $0.replica == "B" && $0.number == 7 } }
        let lanes = Set(received.filter { $0.replica == "B" }.map(\.lane))
        child.withLock { child in
            guard let process = child else { return }
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            child = nil
        }
        warning("kill -9 for B, while it sends from \(lanes.sorted().joined(separator: ", "))")
        let start = NetKitClock.system.now
        try await wait { received.contains { $0.replica == "A" && lanes.contains($0.lane) } }
        let time = start.duration(to: NetKitClock.system.now).shortText
        text("A took its lanes over after \(time), once B's lease of \(TourQueue.lease.shortText) was over.")
        try await wait { Set(received.map { "\($0.lane)/\($0.number)" }).count == Self.lanes.count * 5 }
        try await wait { try await queue.store.tally().pendingCount == 0 }
        let all = received
        tell(all)
        let isComplete = Self.lanes.allSatisfy { lane in
            var seen: Set<Int> = []
            return all.filter { $0.lane == lane && seen.insert($0.number).inserted }.map(\.number) == Array(6...10)
        }
        let twice = all.count - Set(all.map { "\($0.lane)/\($0.number)" }).count
        let keys = Set(all.map(\.key)).count
        let again = twice == 1 ? "1 was sent again" : "\(twice) were sent again"
        verdict(
            isComplete && keys == Self.lanes.count * 5,
            "\(keys) requests arrived, in order; \(again), under the same Idempotency-Key"
        )
        server.on(.post, "/*/*", .status(.created))
    }

    func enqueueInTransactions(_ queue: TourQueue, _ first: Replica) async throws {
        heading("4. A request in a transaction of the service")
        server.removeAllRequests()
        for (number, ending) in [(1, "ROLLBACK"), (2, "COMMIT")] {
            let request = #"{"method": "POST", "url": "/payments/\#(number)"}"#
            let statement = "SELECT netkit.enqueue('orders', '\(request)', lane => 'payments', wake => true);"
            text("BEGIN; \(statement) \(ending);")
            try await first.database.runScript("BEGIN; \(statement) \(ending);")
        }
        try await wait { server.requests.contains { $0.path == "/payments/2" } }
        try await wait { try await queue.store.tally().pendingCount == 0 }
        let paths = server.requests.map(\.path)
        verdict(
            paths == ["/payments/2"],
            "The queue is empty, and the server received only \(paths.joined(separator: ", "))"
        )
    }

    func figures(_ queue: TourQueue, _ first: Replica) async throws {
        heading("8. What an operator sees")
        server.on(.post, "/refused/*", .status(.unprocessableContent))
        text("A pauses the lane reports-daily, which gets 2 requests, and the server refuses another request.")
        await queue.queue.pause(lane: "reports-daily")
        for number in 1...2 {
            let report = HTTPRequest(.post, RequestPath(raw: "/reports/\(number)"))
            try await queue.queue.enqueue(QueuedRequest(report, lane: "reports-daily"))
        }
        try await queue.queue.enqueue(QueuedRequest(HTTPRequest(.post, "/refused/1"), lane: "refused"))
        try await wait { try await queue.store.tally().deadLetterCount == 1 }
        let status = try await first.database.schemaStatus()
        var report = DatabaseReport(status, first.database.health)
        try await report.addQueues(of: first.database)
        text("$ netkit database status")
        text("schema netkit: \(status)")
        for line in report.lines { text(line) }
        let metrics = MetricsCollector()
        metrics.add(queue.queue, labels: ["queue": TourQueue.name])
        text("and for Prometheus, from `MetricsCollector.collect()`:")
        let names = ["entries", "oldest_age_seconds", "owned_shards", "lease_left_seconds", "batch"]
        for line in await metrics.collect().prometheusText.split(separator: "\n") {
            if names.contains(where: { line.hasPrefix("netkit_queue_\($0)") }) { text(String(line)) }
        }
    }

    // MARK: - Parts

    private func add(_ numbers: ClosedRange<Int>, to queue: TourQueue) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in Self.lanes {
                group.addTask {
                    for number in numbers {
                        let request = HTTPRequest(.post, RequestPath(raw: "/\(lane)/\(number)"))
                        try await queue.queue.enqueue(QueuedRequest(request, lane: lane))
                    }
                }
            }
            try await group.waitForAll()
        }
        text("A adds \(numbers.count * Self.lanes.count) requests in \(Self.lanes.count) lanes.")
    }

    /// Shows for each lane which process sent what.
    private func tell(_ all: [Received]) {
        for lane in Self.lanes {
            var parts: [(replica: String, numbers: [String])] = []
            for one in all where one.lane == lane {
                if parts.last?.replica != one.replica { parts.append((one.replica, [])) }
                parts[parts.count - 1].numbers.append("\(one.number)")
            }
            let texts = parts.map { "by \($0.replica): \($0.numbers.joined(separator: " "))" }
            text("\(lane)  \(texts.joined(separator: ", then "))")
        }
    }

    func verdict(_ isGood: Bool, _ text: String) {
        if isGood { success(text) } else { warning("not as promised: \(text)") }
    }

    private func startChild() throws {
        let process = Process()
        process.executableURL = Bundle.main.executableURL
        process.arguments = ["tour", "--replica", postgres.url, server.baseURL.absoluteString]
        // Its input ends with this process.
        process.standardInput = Pipe()
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        child.withLock { $0 = process }
    }
}
