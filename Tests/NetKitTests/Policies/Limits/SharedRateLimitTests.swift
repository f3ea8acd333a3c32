import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests that clients of several processes keep one limit together, in virtual time.
@Suite(.serialized, .computes(for: .seconds(600)))
struct SharedRateLimitTests {
    struct Limit: Sendable, CustomTestStringConvertible {
        let permits: Int
        let period: Duration
        var burst: Int?
        let time: Duration

        var testDescription: String { "\(permits) per \(period), burst \(burst ?? permits)" }
    }

    static let limits = [
        Limit(permits: 100, period: .seconds(1), time: .seconds(20)),
        Limit(permits: 100, period: .seconds(1), burst: 30, time: .seconds(20)),
        Limit(permits: 1_000, period: .seconds(1), burst: 300, time: .seconds(5)),
        Limit(permits: 600, period: .seconds(60), burst: 10, time: .seconds(30)),
        Limit(permits: 2, period: .seconds(1), burst: 1, time: .seconds(30)),
    ]
    static let twoInTenSeconds = Limit(permits: 2, period: .seconds(10), burst: 2, time: .zero)

    /// Replicas of a service with a server that records their requests.
    private final class Service: Sendable {
        let simulation: Simulation
        let rate: InMemorySharedRate
        let replicas: [InMemorySharedRate.Replica]
        let interceptors: [RateLimitInterceptor]
        let clients: [HTTPClient]
        private let arrivals = Locked<[(replica: Int, time: Double)]>([])

        init(_ limit: Limit, seed: UInt64, count: Int = 4, waiting: Duration = .seconds(600)) {
            let simulation = Simulation(seed: seed)
            let rate = InMemorySharedRate(clock: simulation.clock)
            replicas = (0..<count).map { rate.replica("\($0)") }
            interceptors = replicas.map {
                RateLimitInterceptor(
                    permits: limit.permits,
                    per: limit.period,
                    burst: limit.burst,
                    maxWait: waiting,
                    shared: $0
                )
            }
            clients = interceptors.map {
                HTTPClient(
                    baseURL: URL(string: "https://api.example.com"),
                    transport: simulation.transport,
                    interceptors: [$0],
                    configuration: simulation.configuration
                )
            }
            (self.simulation, self.rate) = (simulation, rate)
            let host = SimulatedHost(
                latency: .zero...(.zero),
                .respond { [weak self] request, time in
                    let replica = Int(request.url.lastPathComponent) ?? 0
                    self?.arrivals.withLock { $0.append((replica, time.inSeconds)) }
                    return HTTPResponse(status: .ok)
                }
            )
            simulation.host("api.example.com", host)
        }

        var now: Duration { simulation.now }
        var count: Int { arrivals.withLock { $0.count } }

        func count(of replica: Int) -> Int { arrivals.withLock { $0.count { $0.replica == replica } } }

        func count(from start: Double, to end: Double) -> Int {
            arrivals.withLock { $0.count { (start..<end).contains($0.time) } }
        }

        func send(_ replica: Int, timeout: Duration? = nil) async -> NetKitError? {
            do {
                let options = CallOptions(timeout: timeout)
                _ = try await clients[replica].send(HTTPRequest(.get, "/\(replica)"), options: options)
                return nil
            } catch {
                return error as? NetKitError
            }
        }

        func sendTogether(_ count: Int, timeout: Duration? = nil) async -> [NetKitError] {
            await withTaskGroup(of: NetKitError?.self) { group in
                for _ in 0..<count { group.addTask { await self.send(0, timeout: timeout) } }
                return await group.reduce(into: [NetKitError]()) { if let error = $1 { $0.append(error) } }
            }
        }

        /// Callers of every replica that send as fast as they may.
        func saturate(until end: Duration, callers: Int) async {
            await simulation.callers(callers * clients.count) { [self] number in
                while now < end { _ = await send(number % clients.count) }
            }
        }

        /// The largest number of requests in a window, above what the rate allows in it.
        func largestBurst(_ permits: Int, per period: Duration, windows: [Double]) -> Double {
            let times = arrivals.withLock { $0.map(\.time) }.sorted()
            var largest = 0.0
            for window in windows {
                var first = 0
                for last in times.indices {
                    while times[last] - times[first] > window { first += 1 }
                    largest = max(largest, Double(last - first + 1) - window * Double(permits) / period.inSeconds)
                }
            }
            return largest
        }
    }

    @Test(arguments: limits, [1, 2] as [UInt64])
    func noWindowHasMoreThanTheLimitAndTheBurst(_ limit: Limit, seed: UInt64) async throws {
        let service = Service(limit, seed: seed)
        try await service.simulation.run {
            await service.saturate(until: limit.time, callers: 25)
        }
        let largest = service.largestBurst(limit.permits, per: limit.period, windows: [0.1, 0.5, 1, 3])
        #expect(largest <= Double(service.interceptors[0].burst) + 0.001)
        let allowed = Double(limit.permits) * (limit.time / limit.period)
        #expect(Double(service.count) >= allowed * 0.85, "\(service.count) of \(allowed)")
        let share = Double(service.count) / 4
        for replica in 0..<4 where share >= 100 {
            let own = Double(service.count(of: replica))
            #expect(own > share * 0.6 && own < share * 1.4, "\(own) of a share of \(share)")
        }
        let operations = Double(service.rate.operationCount) / 4 / service.now.inSeconds
        #expect(operations <= 11, "\(operations) operations in a second for each replica")
    }

    /// Calls come and go: unused permits are not hoarded.
    @Test(arguments: [3, 4, 5] as [UInt64])
    func nothingIsHoarded(seed: UInt64) async throws {
        let limit = Limit(permits: 100, period: .seconds(1), burst: 40, time: .seconds(20))
        let service = Service(limit, seed: seed)
        let simulation = service.simulation
        try await simulation.run {
            await simulation.callers(80) { number in
                while service.now < limit.time {
                    try? await simulation.sleep(for: .milliseconds(Int(simulation.random.next() % 3_000)))
                    for _ in 0..<(simulation.random.next() % 8) { _ = await service.send(number % 4) }
                }
            }
        }
        #expect(service.largestBurst(100, per: .seconds(1), windows: [0.1, 0.5, 1, 3]) <= 40.001)
    }

    @Test func aQuietServiceHardlyWaitsAndRarelyAsksTheStore() async throws {
        let service = Service(Limit(permits: 100, period: .seconds(1), time: .zero), seed: 1)
        try await service.simulation.run {
            for _ in 0..<50 {
                let start = service.now
                _ = await service.send(0)
                #expect(service.now - start <= .milliseconds(60))
                try await service.simulation.sleep(for: .milliseconds(30))
            }
        }
        #expect(service.rate.operationCount <= 40)
    }

    @Test func withoutAStoreEachReplicaSendsItsShare() async throws {
        let service = Service(Limit(permits: 100, period: .seconds(1), burst: 40, time: .zero), seed: 1)
        let events = Notebook<String>()
        let simulation = service.simulation
        try await simulation.run {
            let stream = service.clients[0].events
            async let faults: Void = {
                try? await simulation.sleep(for: .seconds(5))
                for replica in service.replicas { replica.cutOff() }
                try? await simulation.sleep(for: .seconds(5))
                #expect(service.interceptors.allSatisfy { $0.storeProblem?.code == .storeUnavailable })
                #expect(service.clients[0].warnings.contains { $0.contains("fair share") })
                try? await simulation.sleep(for: .seconds(5))
                for replica in service.replicas { replica.cutOff(false) }
            }()
            async let reading: Void = {
                for await event in stream where event.kind == .limit { events.add(event.detail ?? "") }
            }()
            await service.saturate(until: .seconds(20), callers: 10)
            await faults
            #expect(service.interceptors.allSatisfy { $0.storeProblem == nil })
            await service.clients[0].shutdown()
            await reading
        }
        #expect(events.entries.count == 2)
        #expect(events.entries.first?.hasPrefix("the shared store is unreachable: ") == true)
        #expect(events.entries.last == "the shared store is back")
        let away = service.count(from: 6, to: 15)
        #expect(away > 800 && away <= 905, "\(away)")
        #expect(service.count(from: 17, to: 20) > 250)
        #expect(service.largestBurst(100, per: .seconds(1), windows: [0.1, 0.5, 1, 3]) <= 80)
    }

    /// The store is back for one server, and away again before the bucket of the other has noticed.
    @Test func theProblemOfAStoreLastsWhileABucketDoesWithoutIt() async throws {
        let simulation = Simulation(seed: 1)
        let replica = InMemorySharedRate(clock: simulation.clock).replica()
        let limit = RateLimitInterceptor(permits: 100, per: .seconds(1), shared: replica)
        for name in ["a.example", "b.example"] {
            simulation.host(name, SimulatedHost(latency: .zero...(.zero), .status(.ok)))
        }
        let client = HTTPClient(
            transport: simulation.transport,
            interceptors: [limit],
            configuration: simulation.configuration
        )
        let events = Notebook<String>()
        try await simulation.run {
            let stream = client.events
            async let reading: Void = {
                for await event in stream where event.kind == .limit {
                    let isBack = event.detail == "the shared store is back"
                    events.add("\(event.origin?.description ?? "") \(isBack ? "back" : "away")")
                }
            }()
            func send(_ path: RequestPath) async throws {
                _ = try await client.send(HTTPRequest(.get, path))
                try await simulation.sleep(for: .milliseconds(10))
            }
            let (one, other): (RequestPath, RequestPath) = ("https://a.example/x", "https://b.example/x")
            replica.cutOff()
            try await send(one)
            try await send(other)
            #expect(limit.storeProblem?.code == .storeUnavailable)
            replica.cutOff(false)
            try await simulation.sleep(for: .seconds(2))
            try await send(one)
            #expect(limit.storeProblem == nil)
            replica.cutOff()
            try await send(other)
            #expect(limit.storeProblem?.code == .storeUnavailable)
            replica.cutOff(false)
            try await simulation.sleep(for: .seconds(2))
            try await send(other)
            #expect(limit.storeProblem == nil)
            await client.shutdown()
            await reading
        }
        let (one, other) = ("https://a.example:443", "https://b.example:443")
        #expect(events.entries == ["\(one) away", "\(other) away", "\(one) back", "\(other) back"])
    }

    /// A store that hangs counts as away, and the calls continue after its patience.
    @Test func aStoreThatHangsDoesNotHoldUpTheCalls() async throws {
        let service = Service(Limit(permits: 100, period: .seconds(1), time: .zero), seed: 1, count: 1)
        service.replicas[0].stop()
        try await service.simulation.run {
            #expect(await service.send(0) == nil)
            #expect(service.now < .milliseconds(1_100))
            let start = service.now
            _ = await service.send(0)
            #expect(service.now - start < .milliseconds(50))
            service.replicas[0].resume()
            try await service.simulation.sleep(for: .seconds(2))
            _ = await service.send(0)
            try await service.simulation.sleep(for: .milliseconds(10))
            #expect(service.interceptors[0].storeProblem == nil)
        }
    }

    @Test func callsInLineAreSentOnceTheStoreIsBackAlthoughNoOtherCallFollows() async throws {
        let service = Service(Limit(permits: 4, period: .seconds(40), time: .zero), seed: 1, count: 1)
        service.replicas[0].cutOff()
        try await service.simulation.run {
            async let waiting = [service.send(0), service.send(0)]
            try await service.simulation.sleep(for: .milliseconds(1_500))
            service.replicas[0].cutOff(false)
            _ = await waiting
        }
        #expect(service.count(from: 0, to: 3) == 2)
    }

    /// No call waits as long as the patience with the store.
    @Test func callsWithShortDeadlinesNoticeThatTheStoreHangs() async throws {
        let service = Service(Limit(permits: 100, period: .seconds(1), time: .zero), seed: 1, count: 1)
        service.replicas[0].stop()
        try await service.simulation.run {
            var codes: [NetKitError.Code?] = []
            for _ in 0..<5 { codes.append(await service.send(0, timeout: .milliseconds(500))?.code) }
            #expect(codes == [.timeout, .timeout, nil, nil, nil])
            #expect(service.interceptors[0].storeProblem?.code == .storeUnavailable)
        }
    }

    /// A store that gives no answer until it is cancelled.
    private final class SilentRate: SharedRate {
        let began = Promise<Void>()
        let isCancelled = Promise<Void>()

        func take(_ count: Int, from bucket: SharedRateBucket) async throws -> RateGrant {
            began.resolve(.success(()))
            return try await withTaskCancellationHandler {
                try await Promise<RateGrant>().cancellableValue()
            } onCancel: {
                isCancelled.resolve(.success(()))
            }
        }
    }

    @Test func aLimitThatIsReleasedEndsItsQuestionToTheStore() async throws {
        let (time, rate) = (TestClock(), SilentRate())
        do {
            let limit = RateLimitInterceptor(permits: 100, per: .seconds(1), shared: rate)
            let client = HTTPClient.testing(MockTransport(), limit, time: time)
            let options = CallOptions(timeout: .milliseconds(500))
            let call = Task { try await client.send(HTTPRequest(.get, "/x"), options: options) }
            try await rate.began.cancellableValue()
            time.advance(by: .milliseconds(500))
            #expect(await outcome(of: call) == "timeout")
        }
        try await rate.isCancelled.cancellableValue()
    }

    @Test func aCallThatDoesNotWaitIsRefusedWithTheTime() async throws {
        let service = Service(Self.twoInTenSeconds, seed: 1, count: 2, waiting: .zero)
        try await service.simulation.run {
            #expect(await service.send(0) == nil)
            #expect(await service.send(1) == nil)
            let error = await service.send(0)
            #expect(error?.code == .rateLimited)
            #expect(error?.outcome == .notSent)
            #expect((error?.retryAfter ?? .zero) > .seconds(4))
            #expect(service.interceptors[0].waitingCount == 0)
            try await service.simulation.sleep(for: .seconds(6))
            #expect(await service.send(0) == nil)
        }
        #expect(service.count == 3)
    }

    /// After the store is lost, one of the two gets the only permit of this process.
    @Test func aCallWhoseDeadlineIsBeforeTheNextPermitOfTheShareIsRefused() async throws {
        let service = Service(Limit(permits: 1, period: .seconds(10), time: .zero), seed: 1, count: 1)
        service.replicas[0].stop()
        try await service.simulation.run {
            #expect(await service.sendTogether(2, timeout: .seconds(5)).compactMap(\.retryAfter) == [.seconds(10)])
            #expect(service.now < .milliseconds(1_100))
        }
    }

    /// The store has nothing for the next five seconds, which is not known before it answers.
    @Test func aCallWhoseDeadlineIsBeforeTheNextPermitIsRefusedWithTheTime() async throws {
        let service = Service(Self.twoInTenSeconds, seed: 1, count: 1)
        try await service.simulation.run {
            for _ in 0..<2 { #expect(await service.send(0) == nil) }
            let error = await service.send(0, timeout: .seconds(2))
            #expect(error?.code == .rateLimited)
            #expect((error?.retryAfter ?? .zero) > .seconds(4))
            #expect(service.now < .seconds(1))
        }
        #expect(service.count == 2)
    }

    /// The store answers when all three wait, and has nothing for the next five seconds.
    @Test func callsThatAreRefusedTogetherAreToldTheTimeOfTheirPlace() async throws {
        let service = Service(Self.twoInTenSeconds, seed: 1, count: 1, waiting: .seconds(1))
        try await service.simulation.run {
            for _ in 0..<2 { #expect(await service.send(0) == nil) }
            service.replicas[0].slowDown(to: .milliseconds(100))
            let waits = await service.sendTogether(3).compactMap(\.retryAfter).sorted()
            try #require(waits.count == 3)
            #expect(waits[1] - waits[0] == .seconds(5))
            #expect(waits[2] - waits[1] == .seconds(5))
        }
    }

    @Test func aCallThatIsCancelledLeavesTheLine() async throws {
        let service = Service(Limit(permits: 1, period: .seconds(10), time: .zero), seed: 1, count: 1)
        try await service.simulation.run {
            #expect(await service.send(0) == nil)
            await withTaskGroup(of: NetKitError?.self) { group in
                group.addTask { await service.send(0) }
                try? await service.simulation.sleep(for: .seconds(1))
                group.cancelAll()
            }
            #expect(service.interceptors[0].waitingCount == 0)
            try await service.simulation.sleep(for: .seconds(20))
            #expect(await service.send(0) == nil)
        }
    }

    @Test func theSummaryTellsThatALimitIsShared() {
        func limit(_ permits: Int, burst: Int) -> RateLimitInterceptor {
            let rate = InMemorySharedRate().replica()
            return RateLimitInterceptor(permits: permits, per: .seconds(1), burst: burst, shared: rate)
        }
        let (shared, fast) = (limit(5, burst: 0), limit(100, burst: 1))
        #expect(shared.summary.hasSuffix(", shared with other processes"))
        #expect(shared.burst == 1)
        #expect(fast.burst == 25)
        #expect(fast.warnings(in: ClientInspection()).count == 1)
        #expect(RateLimitInterceptor(permits: 100, per: .seconds(1), burst: 1).burst == 1)
    }
}
