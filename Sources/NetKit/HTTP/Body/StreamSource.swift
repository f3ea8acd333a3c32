import Foundation

/// The source of the chunks of a streamed request body, which may be able to start again.
final class StreamSource: Sendable {
    let length: Int64?
    let isReplayable: Bool
    private let start: @Sendable () throws -> any AsyncSequence<Data, any Error> & Sendable
    private let wasStarted = Locked(false)

    init(
        length: Int64?,
        isReplayable: Bool,
        _ start: @escaping @Sendable () throws -> any AsyncSequence<Data, any Error> & Sendable
    ) {
        self.length = length
        self.isReplayable = isReplayable
        self.start = start
    }

    func begin() throws -> any AsyncSequence<Data, any Error> & Sendable {
        let isSecond = wasStarted.withLock { wasStarted in
            defer { wasStarted = true }
            return wasStarted
        }
        guard isReplayable || !isSecond else {
            let hint = "Use HTTPBody.replayableStream to make one that can be sent again."
            throw NetKitError(.bodyConsumed, "The request's body stream was already read. \(hint)")
        }
        return try start()
    }
}
