import Foundation
import NetKitTestSupport
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of calls that share exchanges while others are cancelled, read slowly, leave and write. Each gets a whole
/// response of its own user that is no older than the last write before it.
///
/// With `NETKIT_LONG=1` there are 5,000 seeds instead of 25.
@Suite(.serialized, .computes(for: .seconds(600)))
struct CacheSharingSimulationTests {
    private static let seeds: UInt64 = ProcessInfo.processInfo.environment["NETKIT_LONG"] == "1" ? 5000 : 25

    @Test func eachSharingCallGetsACompleteResponse() async throws {
        let (findings, shared, ends) = try await aside {
            var findings: [String] = []
            var shared = 0
            var ends: [String: Int] = [:]
            for seed in 1...Self.seeds {
                let world = SharingWorld(seed: seed)
                try await world.run()
                if let problem = world.problems.first { findings.append("seed \(seed): \(problem)") }
                shared += await world.cache.statistics.sharedExchanges
                ends.merge(world.ends, uniquingKeysWith: +)
            }
            return (findings, shared, ends)
        }
        #expect(findings.isEmpty, "\(findings.count) of \(Self.seeds) seeds, \(findings.first ?? "")")
        #expect(shared > 0)
        for end in ["whole", "left", "timeout", "connectionLost"] {
            #expect(ends[end] ?? 0 > 0, "Without calls that end as \(end) the simulations prove nothing.")
        }
    }
}

/// A server with responses that describe themselves, clients that share a cache, and the wrong results.
private final class SharingWorld: Sendable {
    private struct State {
        /// The version of each URL on the server.
        var versions: [String: Int] = [:]
        /// The version of the last write that its caller has seen end.
        var known: [String: Int] = [:]
        var problems: [String] = []
        var ends: [String: Int] = [:]
    }

    private let simulation: Simulation
    private let state = Shared(State())
    private let client: HTTPClient
    let cache: CacheInterceptor

    var problems: [String] { state.withLock { $0.problems } }
    var ends: [String: Int] { state.withLock { $0.ends } }

    init(seed: UInt64) {
        let simulation = Simulation(seed: seed)
        self.simulation = simulation
        let limit = seed.isMultiple(of: 3) ? 100 : 8 << 20
        cache = CacheInterceptor(
            MemoryCacheStore(maxBytes: seed.isMultiple(of: 5) ? 1 : 1 << 20),
            maxSharedBodyBytes: limit
        )
        var configuration = simulation.configuration
        configuration.timeouts = .none
        client = HTTPClient(
            baseURL: exampleBase,
            transport: SharingServer(
                simulation: simulation,
                version: { [state] path, isWrite in
                    state.withLock { state in
                        if isWrite { state.versions[path, default: 0] += 1 }
                        return state.versions[path, default: 0]
                    }
                }
            ),
            interceptors: [cache],
            configuration: configuration
        )
    }

    private func pick(_ count: Int) -> Int { Int(simulation.random.unitInterval() * Double(count)) }
    private func isLucky(_ rate: Double) -> Bool { simulation.random.unitInterval() < rate }
    private func count(_ end: String) { state.withLock { $0.ends[end, default: 0] += 1 } }
    private func report(_ problem: String) { state.withLock { $0.problems.append("\(simulation.now): \(problem)") } }

    func run() async throws {
        try await simulation.run { [self] in
            await simulation.callers(40) { [self] _ in
                for _ in 0..<3 {
                    try? await simulation.sleep(for: .seconds(4) * simulation.random.unitInterval())
                    if isLucky(0.08) { await write() } else { await read() }
                }
            }
        }
        if cache.flights.count > 0 { report("\(cache.flights.count) flights are left") }
        if cache.flights.gatheredBytes != 0 { report("\(cache.flights.gatheredBytes) bytes are kept") }
        if client.activeCallCount > 0 { report("\(client.activeCallCount) calls are left") }
    }

    private func write() async {
        let path = "/\(pick(2))"
        guard (try? await client.send(HTTPRequest(.put, RequestPath(raw: path)))) != nil else { return }
        state.withLock { state in
            state.known[path] = max(state.known[path, default: 0], state.versions[path, default: 0])
        }
    }

    private func read() async {
        let (path, user) = ("/\(pick(2))", "user-\(pick(2))")
        let known = state.withLock { $0.known[path, default: 0] }
        let options = CallOptions(
            timeout: isLucky(0.2) ? .milliseconds(100 + pick(1500)) : nil,
            delivery: isLucky(0.5) ? .streamed : .buffered(upTo: 1 << 20),
            principal: Principal(user)
        )
        do {
            let response = try await client.send(
                HTTPRequest(.get, RequestPath(raw: path), headers: ["User": user]),
                options: options
            )
            guard response.status == .ok else { return count("\(response.status.code)") }
            var text = ""
            let isSlow = isLucky(0.3)
            let patience = isLucky(0.2) ? pick(3) : .max
            for try await chunk in response.body {
                if text.count >= patience { return count("left") }
                text += String(decoding: chunk, as: UTF8.self)
                if isSlow { try await simulation.sleep(for: .milliseconds(pick(400))) }
            }
            judge(text, path, user, known)
        } catch let error as NetKitError {
            count(error.code.description)
        } catch {
            report("\(error)")
        }
    }

    private func judge(_ text: String, _ path: String, _ user: String, _ known: Int) {
        let parts = text.split(separator: " ")
        guard parts.count == 4, parts[3] == "end", let version = Int(parts[2]) else {
            return report("no whole: \(text)")
        }
        if parts[0] != path { report("\(path) got \(parts[0])") }
        if parts[1] != user { report("\(user) got what is \(parts[1])'s") }
        if version < known { report("\(path) got version \(version) after a write of \(known)") }
        count("whole")
    }
}

/// A server that is slow, fails at times, and responds in pieces.
private struct SharingServer: Transport {
    let simulation: Simulation
    let version: @Sendable (String, Bool) -> Int

    private func isLucky(_ rate: Double) -> Bool { simulation.random.unitInterval() < rate }

    private func rest(upTo milliseconds: Int) async throws {
        try await simulation.sleep(for: .milliseconds(milliseconds) * simulation.random.unitInterval())
    }

    func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
        try await rest(upTo: 500)
        let path = "/" + request.url.lastPathComponent
        let version = version(path, request.method == .put)
        try await rest(upTo: 500)
        if request.method == .put { return HTTPResponse(status: .noContent) }
        if isLucky(0.05) { throw NetKitError(.connectionLost, "The server has gone.") }
        if isLucky(0.05) { return HTTPResponse(status: .serviceUnavailable) }
        let headers: HTTPHeaders = isLucky(0.1) ? ["Cache-Control": "no-store"] : ["Cache-Control": "max-age=1"]
        let text = "\(path) \(request.headers["User"] ?? "") \(version) end"
        let breaksOff = isLucky(0.05)
        let pieces = PieceSource(Array(text.utf8), simulation, breaksOff: breaksOff)
        let body = ResponseBody(length: isLucky(0.5) ? Int64(text.utf8.count) : nil, source: pieces)
        let response = HTTPResponse(status: .ok, headers: headers, body: body)
        return context.delivery.isStreamed ? response : try await response.buffered(upTo: 1 << 20)
    }
}

/// A body that arrives in pieces, each after a delay.
private final class PieceSource: ResponseBodySource {
    private let left: Shared<ArraySlice<UInt8>>
    private let reason = Shared<(any Error)?>(nil)
    private let simulation: Simulation
    private let breaksOff: Bool

    init(_ bytes: [UInt8], _ simulation: Simulation, breaksOff: Bool) {
        left = Shared(bytes[...])
        (self.simulation, self.breaksOff) = (simulation, breaksOff)
    }

    var trailers: HTTPHeaders? { nil }

    func next() async throws -> Data? {
        try await simulation.sleep(for: .milliseconds(200) * simulation.random.unitInterval())
        if let reason = reason.withLock({ $0 }) { throw reason }
        let size = 1 + Int(simulation.random.unitInterval() * 10)
        let piece = left.withLock { left in
            defer { left = left.dropFirst(size) }
            return Data(left.prefix(size))
        }
        if piece.isEmpty, breaksOff {
            throw NetKitError(.connectionLost, "The connection broke off.", outcome: .answered)
        }
        return piece.isEmpty ? nil : piece
    }

    func cancel(_ reason: any Error) {
        self.reason.withLock { $0 = reason }
    }
}
