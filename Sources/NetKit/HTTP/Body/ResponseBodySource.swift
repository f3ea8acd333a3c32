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

/// A source that feeds a pipe from a sequence in a task of its own, so that a waiting body can be ended from outside.
final class SequenceSource: ResponseBodySource {
    private let pipe: BodyPipe
    private let pump: Task<Void, Never>

    init(_ chunks: some AsyncSequence<Data, any Error> & Sendable) {
        let pipe = BodyPipe(maxBytes: 1)
        self.pipe = pipe
        pump = Task(executorPreference: SimulatedExecution.current) {
            do {
                for try await chunk in chunks { try await pipe.write(chunk) }
                pipe.finish()
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
