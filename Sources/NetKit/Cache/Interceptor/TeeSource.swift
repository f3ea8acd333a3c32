import Foundation

/// A body on its way to the caller that is stored meanwhile: whole, or not at all.
///
/// What the store does never fails the body; what the reader does not read is not stored.
final class TeeSource: ResponseBodySource {
    private enum Storing {
        case on(any CacheWriter)
        case off
    }

    private let body: ResponseBody
    private let storing: Locked<Storing>
    private let mayCommit: @Sendable () -> Bool
    private let onEnd: @Sendable (Bool) -> Void

    /// - Parameters:
    ///   - body: The body.
    ///   - writer: What stores it.
    ///   - mayCommit: Asked at the end, for something may have changed meanwhile.
    ///   - onEnd: Told whether it is stored; not called where the store failed before.
    init(
        _ body: ResponseBody,
        writer: any CacheWriter,
        mayCommit: @escaping @Sendable () -> Bool,
        onEnd: @escaping @Sendable (Bool) -> Void
    ) {
        // Nobody else reads it from here on.
        _ = body.state.take()
        self.body = body
        storing = Locked(.on(writer))
        self.mayCommit = mayCommit
        self.onEnd = onEnd
    }

    deinit { abort() }

    var trailers: HTTPHeaders? { body.trailers }

    func next() async throws -> Data? {
        do {
            if let chunk = try await body.state.next() {
                await append(chunk)
                return chunk
            }
        } catch {
            abort()
            throw error
        }
        await commit()
        return nil
    }

    func cancel(_ reason: any Error) {
        abort()
        body.cancel(reason)
    }

    private func append(_ chunk: Data) async {
        guard case .on(let writer) = storing.withLock({ $0 }) else { return }
        do {
            try await writer.append(chunk)
        } catch {
            abort()
            onEnd(false)
        }
    }

    private func commit() async {
        guard let writer = take() else { return }
        guard mayCommit() else { return writer.abort() }
        do {
            try await writer.commit()
            onEnd(true)
        } catch {
            writer.abort()
            onEnd(false)
        }
    }

    private func abort() {
        take()?.abort()
    }

    private func take() -> (any CacheWriter)? {
        storing.withLock { storing in
            guard case .on(let writer) = storing else { return nil }
            storing = .off
            return writer
        }
    }
}
