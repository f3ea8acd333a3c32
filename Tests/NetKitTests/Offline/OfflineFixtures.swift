import Foundation
import NetKit
import NetKitTesting

/// A sender that responds as a test says, and records the requests.
final class ScriptedSender: RequestSending {
    struct Sent: Sendable {
        let request: HTTPRequest
        let replay: QueuedReplay?

        var path: String { request.url.path(percentEncoded: false) }
        var key: String? { request.headers["Idempotency-Key"] }
    }

    let sent = Notebook<Sent>()
    private let count = Locked(0)
    private let respond: @Sendable (Sent, _ number: Int) async throws -> HTTPResponse

    /// Responds by the request and by the number of the attempt, from 1 on.
    init(numbered respond: @escaping @Sendable (Sent, _ number: Int) async throws -> HTTPResponse) {
        self.respond = respond
    }

    convenience init(
        _ respond: @escaping @Sendable (Sent) async throws -> HTTPResponse = { _ in HTTPResponse(status: 204) }
    ) {
        self.init(numbered: { sent, _ in try await respond(sent) })
    }

    /// Responds with statuses in turn, and then always with the last one.
    convenience init(statuses: HTTPStatus...) {
        self.init(numbered: { _, number in HTTPResponse(status: statuses[min(number, statuses.count) - 1]) })
    }

    /// Responds with a status once it may go on, and reports that it has begun.
    convenience init(status: HTTPStatus, began: Promise<Void>, goOn: Promise<Void>) {
        self.init { _ in
            began.resolve(.success(()))
            try await goOn.value()
            return HTTPResponse(status: status)
        }
    }

    var paths: [String] { sent.entries.map(\.path) }

    func send(_ request: HTTPRequest, options: CallOptions) async throws -> HTTPResponse {
        let sent = Sent(request: request, replay: options.tags[QueuedReplay.self])
        self.sent.add(sent)
        return try await respond(sent, count.increment())
    }
}

/// A store that forwards to another one, except for what it overrides.
protocol StoreWrapper: OfflineStore {
    var inner: any OfflineStore { get }
}

extension StoreWrapper {
    var isShared: Bool { inner.isShared }

    func open(clock: NetKitClock, notify: @escaping @Sendable (OfflineNotice) -> Void) async throws {
        try await inner.open(clock: clock, notify: notify)
    }

    func owns(_ shard: Int) -> Bool { inner.owns(shard) }

    func lines(of shards: Set<Int>?, depth: Int) async throws -> OfflineListing {
        try await inner.lines(of: shards, depth: depth)
    }

    func load(_ ids: [UUID]) async throws -> [UUID: Result<StoredRequest, NetKitError>] { try await inner.load(ids) }

    func append(_ addition: OfflineAddition, within bounds: OfflineBounds) async throws -> OfflineAppendResult {
        try await inner.append(addition, within: bounds)
    }

    func begin(_ id: UUID) async throws -> Bool { try await inner.begin(id) }

    func commit(_ id: UUID, sentAs key: String?) async throws { try await inner.commit(id, sentAs: key) }

    func release(_ id: UUID, _ update: OfflineUpdate?) async throws -> Bool { try await inner.release(id, update) }

    func pause(_ lane: String, for time: Duration?) async throws { try await inner.pause(lane, for: time) }

    func pause(_ lane: String, for time: Duration?, because reason: OfflinePauseReason) async throws {
        try await inner.pause(lane, for: time, because: reason)
    }

    func resume(_ lane: String) async throws { try await inner.resume(lane) }

    func resumeLanes(pausedBecause reason: OfflinePauseReason) async throws {
        try await inner.resumeLanes(pausedBecause: reason)
    }

    func revive(_ ids: [UUID]) async throws -> [OfflineEntry] { try await inner.revive(ids) }

    func remove(_ ids: [UUID]) async throws -> OfflineRemoval { try await inner.remove(ids) }

    func removeDeadLetters(olderThan age: Duration?, above maxCount: Int?, limit: Int) async throws
        -> [OfflineRemovedEntry]
    {
        try await inner.removeDeadLetters(olderThan: age, above: maxCount, limit: limit)
    }

    func browse(_ filter: OfflineFilter, after position: Int64?, limit: Int) async throws -> [OfflineEntry] {
        try await inner.browse(filter, after: position, limit: limit)
    }

    func tally() async throws -> OfflineTally { try await inner.tally() }

    func metricSamples() async -> [MetricSample] { await inner.metricSamples() }

    func relinquish(_ shards: Set<Int>) async { await inner.relinquish(shards) }

    func close(within bound: Duration) async { await inner.close(within: bound) }
}

/// A store in which a test acts once, right before or after a call, or makes calls fail.
final class InterruptedStore: StoreWrapper {
    enum Call: Hashable, Sendable {
        case lines
        case load
        case append
        case begin
        case browse
        case release
        case remove
        case revive
        case pause
        case resume
    }

    typealias Step = @Sendable () async throws -> Void

    let inner: any OfflineStore
    private let steps = Locked<(before: [Call: Step], after: [Call: Step])>(([:], [:]))
    private let failing = Locked<Set<Call>>([])
    private let notify = Locked<(@Sendable (OfflineNotice) -> Void)?>(nil)

    init(_ inner: any OfflineStore = InMemoryOfflineStore()) {
        self.inner = inner
    }

    /// Acts before the next call; an error of the step is that of the call.
    func before(_ call: Call, _ step: @escaping Step) {
        steps.withLock { $0.before[call] = step }
    }

    /// Acts after the next call, before its caller continues.
    func after(_ call: Call, _ step: @escaping Step) {
        steps.withLock { $0.after[call] = step }
    }

    /// Makes every call of a kind fail, or no longer.
    func fail(_ call: Call, _ isFailing: Bool = true) {
        failing.withLock { if isFailing { $0.insert(call) } else { $0.remove(call) } }
    }

    /// Gives the queue a notice.
    func tell(_ notice: OfflineNotice) { notify.withLock { $0 }?(notice) }

    private func run<Success>(_ call: Call, _ body: () async throws -> Success) async throws -> Success {
        if failing.withLock({ $0.contains(call) }) { throw NetKitError(.storeUnavailable, "The store is away.") }
        try await steps.withLock { $0.before.removeValue(forKey: call) }?()
        let success = try await body()
        try await steps.withLock { $0.after.removeValue(forKey: call) }?()
        return success
    }

    func open(clock: NetKitClock, notify: @escaping @Sendable (OfflineNotice) -> Void) async throws {
        self.notify.withLock { $0 = notify }
        try await inner.open(clock: clock, notify: notify)
    }

    func lines(of shards: Set<Int>?, depth: Int) async throws -> OfflineListing {
        try await run(.lines) { try await inner.lines(of: shards, depth: depth) }
    }

    func load(_ ids: [UUID]) async throws -> [UUID: Result<StoredRequest, NetKitError>] {
        try await run(.load) { try await inner.load(ids) }
    }

    func append(_ addition: OfflineAddition, within bounds: OfflineBounds) async throws -> OfflineAppendResult {
        try await run(.append) { try await inner.append(addition, within: bounds) }
    }

    func begin(_ id: UUID) async throws -> Bool { try await run(.begin) { try await inner.begin(id) } }

    func browse(_ filter: OfflineFilter, after position: Int64?, limit: Int) async throws -> [OfflineEntry] {
        try await run(.browse) { try await inner.browse(filter, after: position, limit: limit) }
    }

    func release(_ id: UUID, _ update: OfflineUpdate?) async throws -> Bool {
        try await run(.release) { try await inner.release(id, update) }
    }

    func remove(_ ids: [UUID]) async throws -> OfflineRemoval { try await run(.remove) { try await inner.remove(ids) } }

    func revive(_ ids: [UUID]) async throws -> [OfflineEntry] { try await run(.revive) { try await inner.revive(ids) } }

    func pause(_ lane: String, for time: Duration?) async throws {
        try await run(.pause) { try await inner.pause(lane, for: time) }
    }

    func pause(_ lane: String, for time: Duration?, because reason: OfflinePauseReason) async throws {
        try await run(.pause) { try await inner.pause(lane, for: time, because: reason) }
    }

    func resume(_ lane: String) async throws { try await run(.resume) { try await inner.resume(lane) } }
}

/// Lets other tasks run until a condition holds, and returns `false` if it never does.
func holdsSoon(_ condition: () async throws -> Bool) async throws -> Bool {
    for round in 0..<6000 {
        if try await condition() { return true }
        if round < 1000 { await Task.yield() } else { try await Task.sleep(for: .milliseconds(2)) }
    }
    return false
}

extension OfflineStore {
    /// Adds a request without bounds.
    @discardableResult
    func append(_ request: QueuedRequest, byteCount: Int = 2) async throws -> UUID {
        _ = try await append(OfflineAddition(request: request, byteCount: byteCount), within: OfflineBounds())
        return request.id
    }

    /// Every listed entry.
    func listing() async throws -> OfflineListing { try await lines(of: nil, depth: .max) }

    /// The listed entries.
    func entries() async throws -> [OfflineEntry] { try await listing().lines.map(\.entry) }

    /// Returns the stored form of an entry.
    func stored(_ id: UUID) async throws -> StoredRequest? { try await load([id])[id]?.get() }
}

extension OfflineQueue {
    /// A queue in memory whose clock a test moves, without randomness in its waits.
    static func testing(
        _ sender: ScriptedSender?,
        _ time: TestClock = TestClock(),
        monitor: (any NetworkMonitor)? = nil,
        store: any OfflineStore = InMemoryOfflineStore(),
        _ change: (inout Configuration) -> Void = { _ in }
    ) async throws -> OfflineQueue {
        var configuration = Configuration()
        configuration.clock = time.clock
        configuration.policy = RetryPolicy(
            maxAttempts: .max,
            backoffStrategy: .exponential(base: .seconds(1), cap: .seconds(60)),
            jitter: .none
        )
        change(&configuration)
        return try await OfflineQueue(store: store, sender: sender, monitor: monitor, configuration: configuration)
    }
}

extension CallOptions {
    /// The options of a call that the queue of its client may take.
    static func deferrable(_ lane: String, timeout: Duration? = nil) -> CallOptions {
        var options = CallOptions(timeout: timeout)
        options.tags[Deferrable.self] = Deferrable(lane: lane)
        return options
    }
}

extension QueuedRequest {
    static func post(_ path: String, _ body: String = "{}", lane: String = "default") -> QueuedRequest {
        QueuedRequest(HTTPRequest(.post, URL(string: path) ?? exampleURL, body: .text(body)), lane: lane)
    }
}

private let exampleURL = URL(fileURLWithPath: "/")

extension AsyncStream where Element == OfflineEvent {
    /// Reads on until an event of a kind, and returns it.
    func first(_ kind: OfflineEvent.Kind) async -> OfflineEvent? {
        for await event in self where event.kind == kind { return event }
        return nil
    }

    /// Reads on until a number of events of a kind have come.
    func wait(_ count: Int, _ kind: OfflineEvent.Kind) async {
        var left = count
        guard left > 0 else { return }
        for await event in self where event.kind == kind {
            left -= 1
            if left == 0 { return }
        }
    }
}
