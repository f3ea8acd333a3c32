#if canImport(Glibc) || canImport(Musl)
    import Foundation

    /// A request's stream, which a task reads at the pace of the network.
    final class CurlUploadFeed: Sendable {
        /// The result of the loop's request for bytes.
        enum Supply {
            case bytes(Int)
            /// No bytes yet; `onMore` will be called.
            case later
            case end
            case failed(any Error)
        }

        private struct State: ~Copyable {
            var chunks = ChunkQueue()
            var isOver = false
            var failure: (any Error)?
            var isStarved = false
            var wasRead = false
            /// Resolved once there is room again.
            var room: Promise<Void>?
        }

        private static let maxBytes = 256 << 10

        let length: Int64?
        let body: HTTPBody
        private let state = Locked(State())
        private let task = Locked<Task<Void, Never>?>(nil)

        init(_ body: HTTPBody) {
            self.body = body
            length = body.length
        }

        /// Begins to read; the task ends with the stream, or with `stop()`.
        func start(onMore: @escaping @Sendable () -> Void) {
            task.withLock { $0 = Task { await self.feed(onMore) } }
        }

        /// Ends the reading; called on the loop's thread, which must not wait for a cancellation handler of the stream.
        func stop() {
            guard let task = task.withLock({ $0.take() }), !state.withLock({ $0.isOver }) else { return }
            ActionThreads.shared.run { task.cancel() }
        }

        /// Whether no bytes were handed out yet; a stream cannot be read again.
        var isUntouched: Bool { state.withLock { !$0.wasRead } }

        /// Hands bytes to the loop, without waiting.
        func read(into buffer: UnsafeMutableRawBufferPointer) -> Supply {
            let (supply, room) = state.withLock { state -> (Supply, Promise<Void>?) in
                guard !state.chunks.isEmpty else {
                    if let failure = state.failure { return (.failed(failure), nil) }
                    guard !state.isOver else { return (.end, nil) }
                    state.isStarved = true
                    return (.later, nil)
                }
                state.wasRead = true
                let count = state.chunks.moveFirst(into: buffer)
                guard state.chunks.byteCount < Self.maxBytes else { return (.bytes(count), nil) }
                return (.bytes(count), state.room.take())
            }
            room?.resolve(.success(()))
            return supply
        }

        private func feed(_ onMore: @Sendable () -> Void) async {
            do {
                for try await chunk in body.chunks {
                    try Task.checkCancellation()
                    let (isStarved, room) = state.withLock { state in
                        state.chunks.append(chunk)
                        state.room = state.chunks.byteCount < Self.maxBytes ? nil : Promise()
                        defer { state.isStarved = false }
                        return (state.isStarved, state.room)
                    }
                    if isStarved { onMore() }
                    try await room?.cancellableValue()
                }
                finish(nil, onMore)
            } catch {
                finish(error, onMore)
            }
        }

        private func finish(_ failure: (any Error)?, _ onMore: @Sendable () -> Void) {
            let isStarved = state.withLock { state in
                (state.isOver, state.failure) = (true, failure)
                return state.isStarved
            }
            if isStarved { onMore() }
        }
    }
#endif
