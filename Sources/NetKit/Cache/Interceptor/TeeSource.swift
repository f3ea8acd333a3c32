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
    private let onEnd: @Sendable (End) async -> Void

    /// What became of the entry.
    enum End {
        case stored
        case refused
        case storeFailed
        /// The reader has enough.
        case abandoned
    }

    /// - Parameters:
    ///   - body: The body.
    ///   - writer: What stores it.
    ///   - onEnd: Told what became of the entry; not called if the body itself fails.
    init(
        _ body: ResponseBody,
        writer: any CacheWriter,
        onEnd: @escaping @Sendable (End) async -> Void
    ) {
        // Nobody else reads it from here on.
        _ = body.state.take()
        self.body = body
        storing = Locked(.on(writer))
        self.onEnd = onEnd
    }

    deinit { abandon() }

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
        abandon()
        body.cancel(reason)
    }

    private func append(_ chunk: Data) async {
        guard case .on(let writer) = storing.withLock({ $0 }) else { return }
        do {
            try await writer.append(chunk)
        } catch {
            abort()
            await onEnd(.storeFailed)
        }
    }

    private func commit() async {
        guard let writer = take() else { return }
        do {
            await onEnd(try await writer.commit() ? .stored : .refused)
        } catch {
            writer.abort()
            await onEnd(.storeFailed)
        }
    }

    private func abandon() {
        guard let writer = take() else { return }
        writer.abort()
        // A store that answers by itself is done with it before this returns.
        _ = startImmediately { [onEnd] in await onEnd(.abandoned) }
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
