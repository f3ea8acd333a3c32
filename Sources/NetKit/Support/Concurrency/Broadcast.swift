/// Delivers every event to all listeners, in the order of the events.
///
/// Events are noted under the lock that protects their order (`note`) and handed out after it was released (`publish`).
/// A listener that falls behind loses the oldest events, not the newest.
package final class Broadcast<Event: Sendable>: Sendable {
    private let maxEvents: Int
    private let core = BroadcastCore()

    /// Creates a broadcast that keeps a number of unread events for each listener.
    package init(maxEvents: Int = 64) { self.maxEvents = max(1, maxEvents) }

    /// The number of listeners.
    var listenerCount: Int { core.listenerCount }

    /// Returns the events from now on, after a first event if one is given.
    package func stream(startingWith first: Event? = nil) -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Event.self,
            bufferingPolicy: .bufferingNewest(maxEvents)
        )
        // No task can wait for it yet.
        if let first { continuation.yield(first) }
        let listener = BroadcastCore.Listener(
            yield: { event in
                if let event = event as? Event { continuation.yield(event) }
            },
            finish: { continuation.finish() }
        )
        guard let key = core.add(listener) else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak core] _ in core?.removeListener(key) }
        return stream
    }

    /// Calls a function with each event from now on, on the thread that publishes, until it returns `false`.
    ///
    /// It is also called with `nil`, which asks whether it is still needed, so that obsolete functions do not
    /// accumulate.
    func forward(to take: @escaping @Sendable (Event?) -> Bool) {
        core.forward { take($0 as? Event) }
    }

    /// Fixes an event's place in the order; `publish()` has to follow.
    package func note(_ event: Event) { core.note(event) }

    /// Delivers the noted events; only one thread at a time does, so that the order stays.
    package func publish() { core.publish() }

    /// Ends every stream after the noted events; later streams are empty except for their first event.
    package func finish() { core.finish() }

    deinit { finish() }
}

/// The listeners and the noted events of a broadcast, whatever their type is, so that this code is generated once.
private final class BroadcastCore: Sendable {
    struct Listener: Sendable {
        let yield: @Sendable (any Sendable) -> Void
        let finish: @Sendable () -> Void
    }

    private struct State {
        // A dictionary, because there may be very many: each call that waits for a network is one.
        var listeners: [Int: Listener] = [:]
        var takers: [(key: Int, take: @Sendable ((any Sendable)?) -> Bool)] = []
        var lastKey = 0
        var noted: [(event: any Sendable, lastKey: Int)] = []
        var isPublishing = false
        var isFinished = false
    }

    private let state = Locked(State())

    var listenerCount: Int { state.withLock { $0.listeners.count } }

    /// Adds a listener, and returns its key; `nil` after `finish`.
    func add(_ listener: Listener) -> Int? {
        state.withLock { state in
            guard !state.isFinished else { return nil }
            state.lastKey += 1
            state.listeners[state.lastKey] = listener
            return state.lastKey
        }
    }

    func removeListener(_ key: Int) {
        state.withLock { state in _ = state.listeners.removeValue(forKey: key) }
    }

    func forward(to take: @escaping @Sendable ((any Sendable)?) -> Bool) {
        let gone = state.withLock { $0.takers }.filter { !$0.take(nil) }.map(\.key)
        state.withLock { state in
            state.takers.removeAll { gone.contains($0.key) }
            state.lastKey += 1
            state.takers.append((state.lastKey, take))
        }
    }

    /// Notes an event if anyone hears it; a large one takes memory of its own.
    func note(_ event: @autoclosure () -> any Sendable) {
        state.withLock { state in
            if !state.listeners.isEmpty || !state.takers.isEmpty { state.noted.append((event(), state.lastKey)) }
        }
    }

    func publish() {
        while true {
            let (batch, ended) = state.withLock { (Self.takeBatch(&$0), Self.takeEnded(&$0)) }
            for listener in ended { listener.finish() }
            guard let batch else { return }
            for (event, lastKey) in batch.noted {
                // A listener with a later key began after the event.
                for (key, listener) in batch.listeners where key <= lastKey { listener.yield(event) }
                for (key, take) in batch.takers where key <= lastKey && !take(event) {
                    state.withLock { state in state.takers.removeAll { $0.key == key } }
                }
            }
            state.withLock { $0.isPublishing = false }
        }
    }

    /// Returns the streams that end now: after `finish`, once the last event has been delivered.
    private static func takeEnded(_ state: inout State) -> [Listener] {
        guard state.isFinished, !state.isPublishing, state.noted.isEmpty else { return [] }
        return Array(exchange(&state.listeners, with: [:]).values)
    }

    private static func takeBatch(_ state: inout State) -> State? {
        guard !state.isPublishing, !state.noted.isEmpty else { return nil }
        state.isPublishing = true
        defer { state.noted = [] }
        return state
    }

    func finish() {
        state.withLock { $0.isFinished = true }
        publish()
    }
}
