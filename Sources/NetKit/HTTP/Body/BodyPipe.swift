public import Foundation

/// A bounded pipe between the transport that receives a body and the caller that reads it.
///
/// It is for transports, with one writer and one reader. `write(_:)` waits while the reader is behind. `offer(_:)` is
/// for callbacks that cannot wait, and returns whether to continue. The end that stops first ends the other: a reader
/// that stops early makes `write` throw and calls `onCancel`; `fail(_:)` makes the reader throw.
public final class BodyPipe: ResponseBodySource {
    private let state: Locked<PipeState>
    private let onDrain: (@Sendable () -> Void)?
    private let onCancel: (@Sendable (any Error) -> Void)?

    /// Creates a pipe.
    ///
    /// - Parameters:
    ///   - maxBytes: The number of bytes that may wait for the reader before the writer has to wait.
    ///   - onDrain: A closure that is called when the reader has caught up after `offer(_:)` asked to pause.
    ///   - onCancel: A closure that is called once, with the reason, when the reader stops early or the call is ended.
    public init(
        maxBytes: Int = 256 << 10,
        onDrain: (@Sendable () -> Void)? = nil,
        onCancel: (@Sendable (any Error) -> Void)? = nil
    ) {
        state = Locked(PipeState(maxBytes: max(1, maxBytes)))
        self.onDrain = onDrain
        self.onCancel = onCancel
    }

    /// Passes a chunk to the reader, and waits while the pipe is full; throws once the reader is gone.
    public func write(_ chunk: Data) async throws {
        guard !offer(chunk) else { return }
        if let reason = state.withLock({ $0.cancelReason }) { throw reason }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                act(on: state.withLock { $0.wait(writer: continuation) })
                // If the task was cancelled before it waited here, its handler has already run, without a writer to
                // release.
                if Task.isCancelled { act(on: state.withLock { $0.releaseWriter(CancellationError()) }) }
            }
        } onCancel: {
            act(on: state.withLock { $0.releaseWriter(CancellationError()) })
        }
    }

    /// Passes a chunk to the reader without waiting.
    ///
    /// The result `false` asks the writer to pause until `onDrain`, or to stop if the reader is gone.
    @discardableResult
    public func offer(_ chunk: Data) -> Bool {
        guard !chunk.isEmpty else { return true }
        let (action, hasRoom) = state.withLock { $0.add(chunk) }
        act(on: action)
        return hasRoom
    }

    /// Ends the body successfully.
    public func finish(trailers: HTTPHeaders = HTTPHeaders()) {
        act(on: state.withLock { $0.end(.finished(trailers)) })
    }

    /// Ends the body with an error, which the reader gets after the bytes that are already in the pipe.
    public func fail(_ error: any Error) {
        act(on: state.withLock { $0.end(.failed(error)) })
    }

    /// The number of bytes that wait for the reader.
    public var pendingByteCount: Int { state.withLock { $0.pendingBytes } }

    /// The pace of the reader.
    var pace: PipeState.Pace { state.withLock { $0.pace } }

    /// Whether the reader is gone, so that no further chunk arrives.
    public var isCancelled: Bool { state.withLock { $0.cancelReason != nil } }

    /// The trailer fields, once the body has ended successfully.
    public var trailers: HTTPHeaders? { state.withLock { $0.trailers } }

    /// Returns the next chunk; `nil` at the end.
    public func next() async throws -> Data? {
        if let ready = takeReady() { return try ready.get() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                act(on: state.withLock { $0.wait(reader: continuation) })
            }
        } onCancel: {
            cancel(CancellationError())
        }
    }

    /// Ends the body from the reading side.
    public func cancel(_ reason: any Error) {
        act(on: state.withLock { $0.cancel(reason) })
    }

    private func takeReady() -> Result<Data?, any Error>? {
        let (result, action) = state.withLock { $0.takeReady() }
        act(on: action)
        return result
    }

    /// Resumes continuations and calls callbacks, outside the lock.
    private func act(on action: PipeState.Action) {
        for effect in action {
            switch effect {
            case .resumeReader(let continuation, let result): continuation.resume(with: result)
            case .resumeWriter(let continuation, let result): continuation.resume(with: result)
            case .drained: onDrain?()
            case .cancelled(let reason): onCancel?(reason)
            }
        }
    }
}
