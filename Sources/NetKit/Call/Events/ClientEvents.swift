import Synchronization

/// What happens in a client, as it happens.
///
/// A reader that falls behind loses the oldest events beyond its bound and gets one `.missed` that counts them; no call waits
/// for it. The calls that were running when it began to listen are not heard.
public struct ClientEvents: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = ClientEvent
    /// Nothing is thrown.
    public typealias Failure = Never

    let stream: AsyncStream<ClientEvent>
    let missed: Missed

    /// Counts what was lost.
    final class Missed: Sendable {
        private let count = Atomic<Int64>(0)

        func note() { count.wrappingAdd(1, ordering: .relaxed) }

        func take() -> Int64 { count.exchange(0, ordering: .relaxed) }
    }

    /// Starts to read; there is one reader.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator(), missed: missed)
    }

    /// One reader.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: AsyncStream<ClientEvent>.Iterator
        fileprivate let missed: Missed
        /// What comes behind the gap.
        private var held: ClientEvent?

        fileprivate init(base: AsyncStream<ClientEvent>.Iterator, missed: Missed) {
            self.base = base
            self.missed = missed
        }

        /// The next event; nil once the client was shut down or is gone.
        public mutating func next() async -> ClientEvent? {
            if let held {
                self.held = nil
                return held
            }
            guard let event = await base.next(isolation: #isolation) else { return nil }
            let count = missed.take()
            guard count > 0 else { return event }
            held = event
            var gap = ClientEvent(.missed, at: event.instant)
            gap.count = count
            return gap
        }
    }
}

/// A reader belongs to the one task that reads.
@available(*, unavailable)
extension ClientEvents.Iterator: Sendable {}
