import Foundation
import NetKit

/// The server behind the queues of a test: it receives every request, and checks the order and overlap in each lane.
///
/// A target has the form `/lane/number`.
final class OutboxJudge: Sendable {
    struct Sent: Sendable {
        let replica: String
        let target: String
        let key: String?
        let body: Data?

        var lane: String { target.split(separator: "/").first.map(String.init) ?? "" }
    }

    private struct State {
        var sent: [Sent] = []
        var active: [String: String] = [:]
        var complaints: [String] = []
        var waits: [(holds: @Sendable ([Sent]) -> Bool, end: Promise<Void>)] = []
    }

    private struct Sender: RequestSending {
        let judge: OutboxJudge
        let replica: String
        let delay: Duration
        let status: @Sendable (String) -> HTTPStatus

        func send(_ request: HTTPRequest, options: CallOptions) async throws -> HTTPResponse {
            let sent = Sent(
                replica: replica,
                target: try request.targetText(),
                key: request.headers["Idempotency-Key"],
                body: request.body?.bytes
            )
            judge.begin(sent)
            defer { judge.end(sent) }
            if delay > .zero { try await NetKitClock.system.sleep(for: delay) }
            return HTTPResponse(status: status(sent.target))
        }
    }

    private let state = Locked(State())

    /// Returns the sender of a queue.
    func sender(
        _ replica: String = "a",
        delay: Duration = .zero,
        status: @escaping @Sendable (String) -> HTTPStatus = { _ in 204 }
    ) -> any RequestSending {
        Sender(judge: self, replica: replica, delay: delay, status: status)
    }

    var sent: [Sent] { state.withLock { $0.sent } }
    var targets: [String] { sent.map(\.target) }

    /// The lanes with a request under way.
    var active: Set<String> { state.withLock { Set($0.active.keys) } }

    /// The mistakes: two requests of a lane at the same time.
    var complaints: [String] { state.withLock { $0.complaints } }

    /// Waits until a condition on the sent requests holds.
    func wait(until holds: @escaping @Sendable ([Sent]) -> Bool) async throws {
        let end = Promise<Void>()
        let isThere = state.withLock { state in
            if holds(state.sent) { return true }
            state.waits.append((holds, end))
            return false
        }
        if !isThere { try await end.cancellableValue() }
    }

    func wait(for count: Int) async throws {
        try await wait { $0.count >= count }
    }

    /// The targets in their order without repetitions, by lane.
    var order: [String: [String]] {
        var (order, seen): ([String: [String]], Set<String>) = ([:], [])
        for sent in sent where seen.insert(sent.target).inserted { order[sent.lane, default: []].append(sent.target) }
        return order
    }

    private func begin(_ sent: Sent) {
        state.withLock { state in
            if let other = state.active[sent.lane] {
                state.complaints.append("\(sent.target) by \(sent.replica) began during \(other)")
            }
            state.active[sent.lane] = "\(sent.target) by \(sent.replica)"
        }
    }

    private func end(_ sent: Sent) {
        let ends = state.withLock { state in
            state.active[sent.lane] = nil
            state.sent.append(sent)
            let ends = state.waits.filter { $0.holds(state.sent) }.map(\.end)
            state.waits.removeAll { $0.holds(state.sent) }
            return ends
        }
        for end in ends { end.resolve(.success(())) }
    }
}

extension QueuedRequest {
    /// Returns the expected request.
    static func numbered(_ number: Int, lane: String, key: String? = nil) -> QueuedRequest {
        QueuedRequest(
            HTTPRequest(.post, "/\(lane)/\(number)", body: .text("{\"number\": \(number)}")),
            lane: lane,
            coalescingKey: key
        )
    }
}
