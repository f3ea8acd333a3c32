import Foundation

/// What the copies of one `ResponseBody` share: the bytes or their source, whether it is read, and how it ended.
package final class BodyState: Sendable {
    package enum Content: Sendable {
        case bytes(Data, trailers: HTTPHeaders?)
        case source(any ResponseBodySource)
    }

    private struct Progress {
        var isTaken = false
        var byteCount: Int64 = 0
        var end: BodyEnd?
        var actions: [@Sendable (BodyEnd) -> Void] = []
        var transform: (@Sendable (any Error) -> any Error)?
    }

    package let length: Int64?
    private let content: Content
    private let progress: Locked<Progress>

    package init(_ content: Content, length: Int64?) {
        self.content = content
        self.length = length
        progress = Locked(Progress())
    }

    deinit {
        if case .source = content { cancel(CancellationError(), isAbandoned: true) }
    }

    package var buffered: Data? {
        if case .bytes(let data, _) = content { data } else { nil }
    }

    package var trailers: HTTPHeaders? {
        switch content {
        case .bytes(_, let trailers): trailers
        case .source(let source): source.trailers
        }
    }

    package var isTaken: Bool { progress.withLock { $0.isTaken } }

    /// True for the first who asks.
    package func take() -> Bool {
        progress.withLock { progress in
            defer { progress.isTaken = true }
            return !progress.isTaken
        }
    }

    package func onEnd(_ action: @escaping @Sendable (BodyEnd) -> Void) {
        if case .bytes(let data, _) = content {
            return action(BodyEnd(byteCount: Int64(data.count), error: nil, isAbandoned: false))
        }
        let end = progress.withLock { progress in
            if progress.end == nil { progress.actions.append(action) }
            return progress.end
        }
        if let end { action(end) }
    }

    package func mapErrors(_ transform: @escaping @Sendable (any Error) -> any Error) {
        progress.withLock { progress in
            guard let inner = progress.transform else {
                progress.transform = transform
                return
            }
            progress.transform = { transform(inner($0)) }
        }
    }

    package func next() async throws -> Data? {
        switch content {
        case .bytes(let data, _):
            let isFirst = progress.withLock { progress in
                defer { progress.byteCount = Int64(data.count) }
                return progress.byteCount == 0
            }
            return isFirst && !data.isEmpty ? data : nil
        case .source(let source):
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
    }

    package func cancel(_ reason: any Error, isAbandoned: Bool) {
        guard case .source(let source) = content, progress.withLock({ $0.end == nil }) else { return }
        source.cancel(reason)
        finish(error: isAbandoned ? nil : translate(reason), isAbandoned: isAbandoned)
    }

    /// What reading throws is `NetKitError` or `CancellationError`, whatever the source threw.
    package func translate(_ error: any Error) -> any Error {
        let outward = ErrorBoundary.outward(error, outcome: .answered)
        let transform = progress.withLock { $0.transform }
        return transform?(outward) ?? outward
    }

    private func finish(error: (any Error)?, isAbandoned: Bool) {
        let (end, actions) = progress.withLock { progress -> (BodyEnd, [@Sendable (BodyEnd) -> Void]) in
            if let end = progress.end { return (end, []) }
            let end = BodyEnd(byteCount: progress.byteCount, error: error, isAbandoned: isAbandoned)
            progress.end = end
            defer { progress.actions = [] }
            return (end, progress.actions)
        }
        for action in actions { action(end) }
    }
}
