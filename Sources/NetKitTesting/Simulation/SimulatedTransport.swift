import Foundation
public import NetKit

/// The transport of a simulation, which sends requests to simulated hosts.
public final class SimulatedTransport: Transport {
    private struct State {
        var hosts: [String: SimulatedHost] = [:]
        var counts: [String: Int] = [:]
        var total = 0
        /// The pending requests by number.
        var pending: [Int: String] = [:]
    }

    let journal = SimulationJournal()
    private let time: TestClock
    private let random: RandomSource
    private let state = Locked(State())

    init(time: TestClock, random: RandomSource) {
        self.time = time
        self.random = random
    }

    /// The name of the transport for `explain()`.
    public var summary: String { "SimulatedTransport" }

    /// Sends the request to its host, and waits for the response in simulated time.
    public func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
        let name = request.url.host(percentEncoded: true) ?? ""
        let line = "\(request.method) \(name)\(request.url.path(percentEncoded: true)) #\(context.attempt.number)"
        let (host, number) = state.withLock { state -> (SimulatedHost?, Int) in
            state.total += 1
            state.counts[name, default: 0] += 1
            state.pending[state.total] = line
            return (state.hosts[name], state.total)
        }
        journal.add("\(line) sent", at: now)
        defer { state.withLock { _ = $0.pending.removeValue(forKey: number) } }
        do {
            let response = try await respond(to: request, from: host, context: context)
            journal.add("\(line) answered \(response.status.code)", at: now)
            return response
        } catch {
            journal.add("\(line) failed: \((error as? NetKitError)?.code.description ?? "cancelled")", at: now)
            throw error
        }
    }

    func set(_ host: SimulatedHost, for name: String) {
        state.withLock { $0.hosts[name] = host }
    }

    func requestCount(at host: String?) -> Int {
        state.withLock { state in host.map { state.counts[$0] ?? 0 } ?? state.total }
    }

    /// The pending requests, oldest first.
    var pending: [String] {
        state.withLock { state in state.pending.sorted { $0.key < $1.key }.map(\.value) }
    }

    private var now: Duration { .nanoseconds(time.now.nanoseconds) }

    private func respond(
        to request: HTTPRequest,
        from host: SimulatedHost?,
        context: RequestContext
    ) async throws -> HTTPResponse {
        let attempt = context.attempt
        attempt.noteConnecting()
        guard let host else {
            throw NetKitError(.dns, "The simulation has no host of that name; add it with `host(_:_:)`.")
        }
        let kind = host.response(at: now).drawn(random)
        let span = host.latency.upperBound - host.latency.lowerBound
        let latency = host.latency.lowerBound + span * random.unitInterval()
        if case .refused = kind { return try await refuse(after: latency, context) }
        // The latency is that of the response: a call that ends within it may have had its effect.
        attempt.noteSending()
        if let bytes = request.body?.bytes {
            attempt.noteSent(Int64(bytes.count))
        } else if let body = request.body {
            for try await chunk in body.chunks { attempt.noteSent(Int64(chunk.count)) }
        }
        let isStalled = if case .stalled = kind { true } else { false }
        let arrival = isStalled ? .distantFuture : context.clock.now.advanced(by: latency)
        try await context.waitForResponse(until: arrival, context.responseLimit)
        switch kind {
        case .respond(let make):
            var response = make(request, now)
            // Over a wire, no client reads a body here.
            if !response.status.mayHaveBody(respondingTo: request.method) { response.body = ResponseBody(Data()) }
            return response
        default:
            throw NetKitError(.connectionLost, "The simulated connection was reset.", outcome: .unknown)
        }
    }

    /// Refuses the connection after a latency, or throws the error of a limit for connecting that ends before.
    private func refuse(after latency: Duration, _ context: RequestContext) async throws -> HTTPResponse {
        if let limit = context.timeouts.connect, limit < latency {
            try await context.clock.sleep(for: limit)
            throw NetKitError(
                .timeout,
                "The simulated host took no connection.",
                outcome: .notSent,
                timeoutPhase: .connect
            )
        }
        try await context.clock.sleep(for: latency)
        throw NetKitError(.connect, "The simulated host refuses connections.")
    }
}
