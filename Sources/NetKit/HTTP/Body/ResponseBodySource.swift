public import Foundation

/// The source of a response body's bytes, for authors of transports; `BodyPipe` is a ready-made one.
public protocol ResponseBodySource: Sendable {
    /// Returns the next chunk; `nil` at the end. Throws `CancellationError` promptly when the task is cancelled.
    func next() async throws -> Data?

    /// Ends the body from the reading side: a pending `next()` throws the reason, and the exchange is given up.
    func cancel(_ reason: any Error)

    /// The trailer fields, once the body has ended.
    var trailers: HTTPHeaders? { get }
}

/// A source that passes on another body, and with it whether its reader gave it up or it was ended from outside.
protocol WrappingBodySource: ResponseBodySource {
    /// The other body.
    var body: ResponseBody { get }
}

extension WrappingBodySource {
    var trailers: HTTPHeaders? { body.trailers }

    func cancel(_ reason: any Error) { body.cancel(reason) }
}

/// A source that feeds a pipe from a sequence in a task of its own, so that a waiting body can be ended from outside.
final class SequenceSource: ResponseBodySource {
    private let pipe: BodyPipe
    private let pump: Task<Void, Never>

    /// Creates a source, and begins to read.
    ///
    /// `maxBytes` is the number of bytes that are read before they are asked for; `onFull` is called when it is
    /// reached. `trailers` is called after the last chunk.
    init(
        _ chunks: some AsyncSequence<Data, any Error> & Sendable,
        maxBytes: Int = 1,
        trailers: @escaping @Sendable () -> HTTPHeaders? = { nil },
        onFull: (@Sendable () -> Void)? = nil
    ) {
        let pipe = BodyPipe(maxBytes: maxBytes)
        self.pipe = pipe
        pump = Task(executorPreference: SimulatedExecution.current) {
            do {
                for try await chunk in chunks {
                    if let onFull, pipe.pendingByteCount.addingSaturated(chunk.count) >= maxBytes { onFull() }
                    try await pipe.write(chunk)
                }
                pipe.finish(trailers: trailers() ?? HTTPHeaders())
            } catch {
                pipe.fail(error)
            }
        }
    }

    deinit { pump.cancel() }

    var trailers: HTTPHeaders? { pipe.trailers }

    func next() async throws -> Data? { try await pipe.next() }

    func cancel(_ reason: any Error) {
        pipe.cancel(reason)
        pump.cancel()
    }
}
