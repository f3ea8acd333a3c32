import Foundation

/// The state that the copies of one `ResponseBody` share: the bytes or their source, and the progress of the read.
final class BodyState: Sendable {
    private struct Progress: ~Copyable {
        var isTaken = false
        var byteCount: Int64 = 0
        var end: BodyEnd?
        var actions: [@Sendable (BodyEnd) -> Void] = []
        var transform: (@Sendable (any Error) -> any Error)?
        var json: JSONCoder?
    }

    let length: Int64?
    /// The bytes, if all are in memory; otherwise there is a source.
    let buffered: Data?
    private let source: (any ResponseBodySource)?
    private let knownTrailers: HTTPHeaders?
    private let progress = Locked(Progress())

    init(_ data: Data, trailers: HTTPHeaders?) {
        // A slice would keep its own indices, and the caller's `data[0]` would trap.
        (buffered, source) = (data.startIndex == 0 ? data : Data(data), nil)
        knownTrailers = trailers
        length = Int64(data.count)
    }

    init(_ source: any ResponseBodySource, length: Int64?) {
        (buffered, self.source, knownTrailers) = (nil, source, nil)
        self.length = length
    }

    /// Creates the state of an unread body with the bytes of another one, which are all in memory.
    init(rereading other: BodyState, _ data: Data) {
        (buffered, source, knownTrailers) = (data, nil, other.source?.trailers ?? other.knownTrailers)
        length = Int64(data.count)
        let (transform, json) = other.progress.withLock { ($0.transform, $0.json) }
        progress.withLock { ($0.transform, $0.json) = (transform, json) }
    }

    deinit {
        if buffered == nil { cancel(CancellationError(), isAbandoned: true) }
    }

    /// The trailers; `nil` until a source has ended.
    var trailers: HTTPHeaders? { if let source { source.trailers } else { knownTrailers ?? HTTPHeaders() } }

    var isTaken: Bool { progress.withLock { $0.isTaken } }

    /// Whether no reader and no receiver of the body has changed the state.
    var isUntouched: Bool { progress.withLock { !$0.isTaken && $0.transform == nil && $0.json == nil } }

    /// Returns `true` for the first caller.
    func take() -> Bool {
        progress.withLock { !exchange(&$0.isTaken, with: true) }
    }

    func onEnd(_ action: @escaping @Sendable (BodyEnd) -> Void) {
        if let end = end(orLater: action) { action(end) }
    }

    /// Returns the end of the body, or keeps an action for it.
    ///
    /// Not part of `onEnd`, of which the compiler makes a copy for each closure.
    @inline(never)
    private func end(orLater action: @escaping @Sendable (BodyEnd) -> Void) -> BodyEnd? {
        if let buffered { return BodyEnd(byteCount: Int64(buffered.count), error: nil, isAbandoned: false) }
        return progress.withLock { progress in
            if progress.end == nil { progress.actions.append(action) }
            return progress.end
        }
    }

    /// The coder of the endpoint or the client that received the body; `nil` if no client did.
    var json: JSONCoder? {
        get { progress.withLock { $0.json } }
        set { progress.withLock { $0.json = newValue } }
    }

    func mapErrors(json: JSONCoder?, _ transform: @escaping @Sendable (any Error) -> any Error) {
        progress.withLock { progress in
            progress.json = json ?? progress.json
            guard let inner = progress.transform else {
                progress.transform = transform
                return
            }
            progress.transform = { transform(inner($0)) }
        }
    }

    func next() async throws -> Data? {
        guard let source else {
            let isFirst = progress.withLock { exchange(&$0.byteCount, with: length ?? 0) == 0 }
            return isFirst && length != 0 ? buffered : nil
        }
        do {
            guard let chunk = try await source.next() else {
                finish(error: nil, isAbandoned: false)
                return nil
            }
            progress.withLock { $0.byteCount += Int64(chunk.count) }
            return chunk
        } catch {
            let translated = translate(error)
            finish(error: translated, isAbandoned: false)
            throw translated
        }
    }

    func cancel(_ reason: any Error, isAbandoned: Bool) {
        guard let source, progress.withLock({ $0.end == nil }) else { return }
        if isAbandoned, let wrapping = source as? any WrappingBodySource {
            wrapping.body.discard()
        } else {
            source.cancel(reason)
        }
        finish(error: isAbandoned ? nil : translate(reason), isAbandoned: isAbandoned)
    }

    /// Translates an error of the source into `NetKitError` or `CancellationError`.
    func translate(_ error: any Error) -> any Error {
        let outward = ErrorBoundary.outward(error, outcome: .answered)
        let transform = progress.withLock { $0.transform }
        return transform?(outward) ?? outward
    }

    private func finish(error: (any Error)?, isAbandoned: Bool) {
        let (end, actions) = progress.withLock { progress -> (BodyEnd, [@Sendable (BodyEnd) -> Void]) in
            if let end = progress.end { return (end, []) }
            let end = BodyEnd(byteCount: progress.byteCount, error: error, isAbandoned: isAbandoned)
            progress.end = end
            return (end, exchange(&progress.actions, with: []))
        }
        for action in actions { action(end) }
    }
}
