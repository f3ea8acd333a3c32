public import Foundation

/// A transport for tests, which responds from stubs and records every request.
///
/// ```swift
/// let transport = MockTransport()
/// transport.stub(.get, "/users/42", .json(User(id: 42, name: "Ada")))
/// transport.stub(.get, "/flaky", .status(503), .status(503), .json(["ok": true]))     // a sequence
/// let client = HTTPClient(baseURL: base, transport: transport)
/// #expect(transport.requests.count == 3)
/// ```
/// A path pattern is written as the path of a request is, with or without a slash at its start. It is compared with the
/// path below the client's base URL and with the whole path. `*` matches one segment and a final `**` any rest. A
/// pattern with a scheme also includes the host. If several stubs match, the one added last responds. It returns its
/// responses in turn and repeats the last one. Create a transport for each test.
public final class MockTransport: Transport, CallBound {
    /// A closure that responds to a request.
    public typealias Handler = @Sendable (HTTPRequest, RequestContext) async throws -> HTTPResponse

    private struct State: ~Copyable {
        var stubs: [MockStub] = []
        /// The number of responses that each stub has returned.
        var given: [Int] = []
        var requests: [RecordedRequest] = []
        /// The waits for a number of requests.
        var waits: [TestWait<Int>] = []
    }

    private let state = Locked(State())
    private let handler: Handler?
    private let gate = MockGate()

    /// Creates a transport.
    ///
    /// - Parameter handler: A closure that responds to requests without a matching stub. Without it, they fail with
    ///   `.noStub`.
    public init(_ handler: Handler? = nil) { self.handler = handler }

    /// The name of the transport for `explain()`.
    public var summary: String { "MockTransport" }

    /// Adds a stub that responds to requests of a method and path.
    ///
    /// - Parameters:
    ///   - method: The method, or `nil` to match all.
    ///   - path: The path pattern: `*` matches one segment, and a final `**` any rest. The items of a query, as in
    ///     `/items?limit=2`, are among those that the request must have.
    ///   - query: Query items that the request must have, possibly among others.
    ///   - headers: Header fields that the request must have.
    ///   - body: A closure that returns whether the body matches.
    ///   - responses: The responses to return in turn. The last one is repeated.
    public func stub(
        _ method: HTTPMethod?,
        _ path: String,
        query: [String: String] = [:],
        headers: [String: String] = [:],
        body: (@Sendable (Data) -> Bool)? = nil,
        _ responses: MockResponse...
    ) {
        let stub = MockStub(
            method: method,
            pattern: PathPattern(path),
            query: query,
            headers: headers,
            body: body,
            responses: responses
        )
        state.withLock { state in
            state.stubs.append(stub)
            state.given.append(0)
        }
    }

    /// The requests in the order of arrival, with their bodies.
    public var requests: [RecordedRequest] { state.withLock { $0.requests } }

    /// The stubs that have not responded to any request, each as its method, path and other conditions.
    public var unused: [String] {
        state.withLock { zip($0.stubs, $0.given).filter { $1 == 0 }.map { $0.0.description } }
    }

    /// Removes the recorded requests.
    ///
    /// The stubs keep their positions in their sequences.
    public func removeAllRequests() {
        state.withLock { $0.requests.removeAll() }
    }

    /// Waits until a total number of requests has arrived.
    ///
    /// Those that `removeAllRequests()` has removed do not count.
    ///
    /// If the test is cancelled first, as it is at its time limit, the wait ends, and a line on standard error says
    /// what it waited for.
    public func waitForRequests(_ count: Int) async {
        let wait = TestWait(for: count)
        let isReached = state.withLock { state in
            if state.requests.count < count { state.waits.append(wait) }
            return state.requests.count >= count
        }
        if isReached { return }
        await wait.value {
            TestWaitReport.requests(
                count,
                to: "mock transport",
                present: requests.map { "\($0.method) \($0.url.path())" }
            )
        }
    }

    /// Releases all current and future requests that wait in a `.stalled` response.
    public func release() { gate.open() }

    /// Records the request and returns the response of the matching stub.
    public func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
        try Task.checkCancellation()
        let recorded = try await record(request, context)
        context.attempt.noteSent(Int64(recorded.body.count))
        var request = request
        if let body = request.body, !body.canReplay {
            // Recording consumed the stream, and the handler may read it as well.
            request.body = .data(recorded.body, contentType: body.contentType)
        }
        // Outside the lock, because a body matcher is the user's code and may use this transport. Stubs are only added.
        let stubs = state.withLock { $0.stubs }
        let index = stubs.lastIndex { $0.mismatch(with: recorded) == nil }
        let (response, reached) = state.withLock { state -> (MockResponse?, [TestWait<Int>]) in
            state.requests.append(recorded)
            let response = index.map { index in
                defer { state.given[index] += 1 }
                return stubs[index].response(after: state.given[index])
            }
            let count = state.requests.count
            return (response, state.waits.takeReached { $0 <= count })
        }
        for wait in reached { wait.finish() }
        var made: HTTPResponse
        if let response {
            made = try await response.respond(to: request, context: context, gate: gate)
        } else if let handler {
            made = try await context.endingWithCall { [request] in try await handler(request, context) }
        } else {
            throw Self.noStub(for: recorded, among: stubs)
        }
        // Over a wire, no client reads a body here.
        if !made.status.mayHaveBody(respondingTo: request.method) { made.body = .empty }
        return made
    }

    private func record(_ request: HTTPRequest, _ context: RequestContext) async throws -> RecordedRequest {
        guard let body = request.body, body.bytes == nil else {
            return try await RecordedRequest(request, context: context)
        }
        return try await context.endingWithCall { try await RecordedRequest(request, context: context) }
    }

    private static func noStub(for request: RecordedRequest, among stubs: [MockStub]) -> NetKitError {
        let names = request.items.map { "\($0.name)=…" }
        let query = names.isEmpty ? "" : "?" + names.joined(separator: "&")
        let asked = "\(request.method) \(request.path)\(query)"
        guard !stubs.isEmpty else {
            return NetKitError(.noStub, "No stub matches \(asked): there are none. Call `stub` first.")
        }
        let misses = stubs.map { (stub: $0, miss: $0.mismatch(with: request)) }
            .orderedByNumber { Int64($0.miss?.distance ?? 0) << 32 + Int64($0.stub.pattern.distance(to: request)) }
        let nearest = misses.prefix(3).map { "\($0.stub) (\($0.miss?.reason ?? "it matches"))" }.joined(separator: "; ")
        let more = misses.count > 3 ? "; \(misses.count - 3) more" : ""
        return NetKitError(.noStub, "No stub matches \(asked). The nearest: \(nearest)\(more).")
    }
}

/// Holds requests until it is opened.
final class MockGate: Sendable {
    private struct State: ~Copyable {
        var isOpen = false
        var waiting: [Promise<Void>] = []
    }

    private let state = Locked(State())

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            return exchange(&state.waiting, with: [])
        }
        for promise in waiting { promise.resolve(.success(())) }
    }

    /// Waits until the gate is opened, or throws the error of a limit that ends before.
    func wait(until limit: ResponseLimit?, _ clock: NetKitClock) async throws {
        let promise = Promise<Void>()
        let alarm = limit.map { limit in
            clock.scheduleWakeUp(at: limit.end) { promise.resolve(.failure(limit.error)) }
        }
        defer { alarm?.cancel() }
        state.withLock { state in
            if state.isOpen { promise.resolve(.success(())) } else { state.waiting.append(promise) }
        }
        try await promise.cancellableValue()
    }
}
