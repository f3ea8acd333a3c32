import Foundation
import NetKit
import NetKitTesting

/// Answers what a test says, and writes down what was sent.
final class ScriptedSender: RequestSending {
    struct Sent: Sendable {
        let request: HTTPRequest
        let replay: QueuedReplay?

        var path: String { request.url.path(percentEncoded: false) }
        var key: String? { request.headers["Idempotency-Key"] }
    }

    let sent = Notebook<Sent>()
    private let answer: @Sendable (Sent) async throws -> HTTPResponse

    init(_ answer: @escaping @Sendable (Sent) async throws -> HTTPResponse = { _ in HTTPResponse(status: 204) }) {
        self.answer = answer
    }

    /// Gives statuses in turn; the last one stays.
    convenience init(statuses: HTTPStatus...) {
        let given = Locked(0)
        self.init { _ in
            let index = given.withLock { given in
                defer { given += 1 }
                return given
            }
            return HTTPResponse(status: statuses[min(index, statuses.count - 1)])
        }
    }

    var paths: [String] { sent.entries.map(\.path) }

    func send(_ request: HTTPRequest, options: CallOptions) async throws -> HTTPResponse {
        let sent = Sent(request: request, replay: options.tags[QueuedReplay.self])
        self.sent.add(sent)
        return try await answer(sent)
    }
}

/// The code of what something throws; nil where it throws nothing, or something else.
func thrownCode(_ body: () async throws -> some Any) async -> NetKitError.Code? {
    do {
        _ = try await body()
        return nil
    } catch {
        return (error as? NetKitError)?.code
    }
}

extension OfflineQueue {
    /// A queue in memory whose clock a test moves, without chance in its waits.
    static func testing(
        _ sender: ScriptedSender?,
        _ time: TestClock = TestClock(),
        monitor: ManualNetworkMonitor? = nil,
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

extension QueuedRequest {
    static func post(_ path: String, _ body: String = "{}", lane: String = "default") -> QueuedRequest {
        QueuedRequest(HTTPRequest(.post, URL(string: path) ?? exampleURL, body: .text(body)), lane: lane)
    }
}

private let exampleURL = URL(fileURLWithPath: "/")

extension AsyncStream where Element == OfflineEvent {
    /// Reads on until an event of a kind, which it gives.
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
