import Synchronization

/// A sequence of the events of a client.
///
/// A reader that falls behind loses the oldest events beyond its bound, and gets one `.missed` event that counts them.
/// No call waits for a reader. Calls that were already running when the reader began are not reported.
public struct ClientEvents: AsyncSequence, Sendable {
    /// The type of the elements.
    public typealias Element = ClientEvent
    /// The type of errors; the sequence throws none.
    public typealias Failure = Never

    let stream: AsyncStream<ClientEvent>
    let missed: Missed

    /// A counter of the events that were lost.
    final class Missed: Sendable {
        private let count = Atomic<Int64>(0)

        func note() { count.wrappingAdd(1, ordering: .relaxed) }

        func take() -> Int64 { count.exchange(0, ordering: .relaxed) }
    }

    /// Returns an iterator over the events; create only one.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator(), missed: missed)
    }

    /// An iterator over the events.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: AsyncStream<ClientEvent>.Iterator
        fileprivate let missed: Missed
        /// The event after a gap.
        fileprivate var held: Box<ClientEvent>?

        /// Returns the next event; `nil` after the client was shut down or released.
        public mutating func next() async -> ClientEvent? {
            if let held = held.take() { return held.value }
            guard let event = await base.next(isolation: #isolation) else { return nil }
            let count = missed.take()
            guard count > 0 else { return event }
            held = Box(event)
            var gap = ClientEvent(.missed, at: event.instant)
            gap.count = count
            return gap
        }
    }
}

/// An iterator must not be shared between tasks.
@available(*, unavailable)
extension ClientEvents.Iterator: Sendable {}
