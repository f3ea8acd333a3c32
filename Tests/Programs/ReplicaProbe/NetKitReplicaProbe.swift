import Foundation
import NetKit
import NetKitPostgres

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A process that fills or drains an outbox or keeps to a shared limit, for tests that kill, stop and cut it off.
///
/// `drain` says `OPEN` once its queue is open, `BEGIN time lane number key replica fence` before each request, and
/// `END time …` after it. Times are in nanoseconds of the machine's monotonic clock. It ends with its input.
@main
struct NetKitReplicaProbe {
    private static let usage = """
        Usage: NetKitReplicaProbe <command> <database URL> <queue> …

          drain <URL> <queue> <label> [<lease in s> [<time of a request in ms> [<base URL>]]]
          fill <URL> <queue> <lanes> <entries of each> [<callers>]     enqueue entries of 1 KB
          rate <URL> <limit's name> <permits a second> <time in ms>    keep to a limit, and say `START time` and `SENT time`
          spill <URL> <queue> <folder>                                 move what is in a spill folder, and send nothing
          time <URL> <queue> [<parallel lanes>]                        drain with a sender that takes no time

        Requests go to the base URL, with the fields X-Replica and X-Fence, or are delivered after their time.
        """

    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 3 else {
            print(usage)
            exit(2)
        }
        do {
            let database = try await Postgres(arguments[1])
            let rest = Array(arguments.dropFirst(3))
            switch arguments[0] {
            case "drain": try await drain(database, arguments[2], rest)
            case "fill": try await fill(database.outbox(arguments[2]), rest.compactMap { Int($0) })
            case "rate": try await rate(database.rate(arguments[2]), rest.compactMap { Int($0) })
            case "spill": try await spill(database, arguments[2], rest)
            case "time": try await time(database.outbox(arguments[2]), rest.compactMap { Int($0) }.first ?? 64)
            default:
                print(usage)
                exit(2)
            }
            await database.close()
        } catch {
            ProbeOutput.line("ERROR \(error)")
            exit(1)
        }
    }

    private static func drain(_ database: Postgres, _ name: String, _ arguments: [String]) async throws {
        let numbers = arguments.dropFirst().map { Double($0) }
        let store = database.outbox(name, lease: .seconds((numbers.first ?? nil) ?? 15))
        let client = arguments.count > 3 ? URL(string: arguments[3]).map { HTTPClient(baseURL: $0) } : nil
        let sender = ProbeSender(
            store: store,
            label: arguments.first ?? "",
            delay: .milliseconds((numbers.dropFirst().first ?? nil) ?? 2),
            client: client
        )
        let queue = try await queue(store, sender, lanes: 32)
        ProbeOutput.line("OPEN \(sender.label)")
        await waitForEndOfInput()
        await queue.close()
    }

    private static func spill(_ database: Postgres, _ name: String, _ arguments: [String]) async throws {
        let folder = URL(fileURLWithPath: arguments.first ?? "", isDirectory: true)
        let queue = try await OfflineQueue(store: database.outbox(name, spill: folder))
        ProbeOutput.line("OPEN")
        await waitForEndOfInput()
        await queue.close()
    }

    private static func waitForEndOfInput() async {
        await withCheckedContinuation { continuation in
            Thread {
                _ = FileHandle.standardInput.readDataToEndOfFile()
                continuation.resume()
            }
            .start()
        }
    }

    private static func queue(
        _ store: PostgresOutbox,
        _ sender: some RequestSending,
        lanes: Int
    ) async throws -> OfflineQueue {
        var configuration = OfflineQueue.Configuration()
        configuration.parallelLanes = lanes
        configuration.policy = RetryPolicy(maxAttempts: .max, backoffStrategy: .fixed(interval: .milliseconds(50)))
        return try await OfflineQueue(store: store, sender: sender, configuration: configuration)
    }

    private static func fill(_ store: PostgresOutbox, _ numbers: [Int]) async throws {
        let (lanes, depth) = (numbers.first ?? 1000, numbers.dropFirst().first ?? 10)
        let callers = max(1, numbers.dropFirst(2).first ?? 64)
        let body = HTTPBody.data(Data(repeating: UInt8(ascii: "x"), count: 1024), contentType: "text/plain")
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for caller in 0..<callers {
                group.addTask {
                    for number in 0..<depth {
                        for lane in stride(from: caller, to: lanes, by: callers) {
                            let target: RequestPath = "/lane\(lane)/\(number)"
                            let request = QueuedRequest(
                                HTTPRequest(.post, target, body: body),
                                lane: "lane\(lane)",
                                idempotencyKey: "\(lane)-\(number)"
                            )
                            let addition = OfflineAddition(request: request, byteCount: 1100)
                            _ = try await store.append(addition, within: OfflineBounds())
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        report("enqueue", lanes * depth, start)
    }

    private static func time(_ store: PostgresOutbox, _ lanes: Int) async throws {
        let count = try await store.tally().count
        let start = ContinuousClock.now
        let queue = try await queue(store, InstantSender(), lanes: lanes)
        while try await store.tally().count > 0 { try await Task.sleep(for: .milliseconds(500)) }
        report("drain", count, start)
        await queue.close()
    }

    private static func rate(_ rate: PostgresRate, _ numbers: [Int]) async throws {
        guard numbers.count == 2 else { return }
        let limit = RateLimitInterceptor(permits: numbers[0], per: .seconds(1), shared: rate)
        let transport = MockTransport { _, _ in
            ProbeOutput.line("SENT \(ProbeOutput.time)")
            return HTTPResponse(status: 204)
        }
        let client = HTTPClient(
            baseURL: URL(string: "https://api.example.com"),
            transport: transport,
            interceptors: [limit]
        )
        let end = ContinuousClock.now + .milliseconds(numbers[1])
        ProbeOutput.line("START \(ProbeOutput.time)")
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    while ContinuousClock.now < end { _ = try? await client.send(HTTPRequest(.get, "/")) }
                }
            }
        }
        await client.shutdown()
    }

    private static func report(_ what: String, _ count: Int, _ start: ContinuousClock.Instant) {
        let seconds = start.duration(to: .now) / .seconds(1)
        ProbeOutput.line("\(what) \(count) in \(seconds) s: \(Int(Double(count) / seconds))/s")
    }
}

/// A sender that takes no time.
private struct InstantSender: RequestSending {
    func send(_ request: HTTPRequest, options: CallOptions) async throws -> HTTPResponse { HTTPResponse(status: 204) }
}

/// A sender that records what it sends, and when.
struct ProbeSender: RequestSending {
    let store: PostgresOutbox
    let label: String
    let delay: Duration
    let client: HTTPClient?

    func send(_ request: HTTPRequest, options: CallOptions) async throws -> HTTPResponse {
        // A target has the form `/lane/number`.
        let parts = try request.targetText().split(separator: "/").map(String.init)
        guard parts.count == 2 else { return HTTPResponse(status: .badRequest) }
        let fence = try await store.fence(ofLane: parts[0]).map(String.init) ?? "-"
        let key = request.headers["Idempotency-Key"] ?? "-"
        let facts = "\(parts[0]) \(parts[1]) \(key) \(label) \(fence)"
        ProbeOutput.line("BEGIN \(ProbeOutput.time) \(facts)")
        defer { ProbeOutput.line("END \(ProbeOutput.time) \(facts)") }
        guard let client else {
            try await NetKitClock.system.sleep(for: delay)
            return HTTPResponse(status: 204)
        }
        var request = request
        request.headers["X-Replica"] = label
        request.headers["X-Fence"] = fence
        return try await client.send(request, options: options)
    }
}

/// Writes whole lines, each with one system call, so that nothing that a killed process printed is lost.
enum ProbeOutput {
    /// The time on a clock that all processes of the machine share.
    static var time: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    static func line(_ text: String) {
        let bytes = Array((text + "\n").utf8)
        _ = write(1, bytes, bytes.count)
    }
}
