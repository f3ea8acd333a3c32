import Synchronization

/// Hands the events of a client to its listeners; without listeners, a call creates no events.
///
/// A call is reported as a whole or not at all: a new listener gets the calls that begin from then on.
package final class EventHub: Sendable {
    /// A listener that reads at its own pace.
    private struct Outlet: Sendable {
        let key: Int
        let continuation: AsyncStream<ClientEvent>.Continuation
        let missed: ClientEvents.Missed
    }

    private struct State: ~Copyable {
        var outlets: [Outlet] = []
        var lastKey = 0
        var isFinished = false
    }

    private let listeners: [any EventListening]
    private let clock: NetKitClock
    private let state = Locked(State())
    private let hasListeners: Atomic<Bool>

    init(listeners: [any EventListening], clock: NetKitClock) {
        self.listeners = listeners
        self.clock = clock
        hasListeners = Atomic(!listeners.isEmpty)
    }

    /// Creates a hub without listeners.
    package convenience init(clock: NetKitClock) { self.init(listeners: [], clock: clock) }

    /// Whether there is a listener.
    package var isHeard: Bool { hasListeners.load(ordering: .relaxed) }

    /// The listener that began last.
    var latestListener: Int { state.withLock { $0.lastKey } }

    func report(_ event: ClientEvent) {
        for listener in listeners { listener.receive(event) }
        let latest = event.facts?.latestListener ?? .max
        let outlets = state.withLock { $0.outlets }
        for outlet in outlets where outlet.key <= latest {
            if case .dropped = outlet.continuation.yield(event) { outlet.missed.note() }
        }
    }

    /// Reports to the listeners that an attempt is repeated, which the event of its failure only announced.
    func reportRetryBegan() {
        for listener in listeners { listener.noteRetryBegan() }
    }

    /// Reports an event that belongs to no call.
    func report(_ kind: ClientEvent.Kind, origin: Origin? = nil, detail: String, label: String? = nil) {
        guard isHeard else { return }
        var event = ClientEvent(kind, at: clock.now, origin: origin)
        event.detail = detail
        event.label = label ?? detail
        report(event)
    }

    /// Returns the events from now on, with a bound for unread events.
    func events(maxEvents: Int) -> ClientEvents {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ClientEvent.self,
            bufferingPolicy: .bufferingNewest(max(1, maxEvents))
        )
        let missed = ClientEvents.Missed()
        let key: Int? = state.withLock { state in
            guard !state.isFinished else { return nil }
            state.lastKey += 1
            state.outlets.append(Outlet(key: state.lastKey, continuation: continuation, missed: missed))
            hasListeners.store(true, ordering: .relaxed)
            return state.lastKey
        }
        guard let key else {
            continuation.finish()
            return ClientEvents(stream: stream, missed: missed)
        }
        continuation.onTermination = { [weak self] _ in self?.remove(key) }
        return ClientEvents(stream: stream, missed: missed)
    }

    private func remove(_ key: Int) {
        state.withLock { state in
            state.outlets.removeAll { $0.key == key }
            hasListeners.store(!listeners.isEmpty || !state.outlets.isEmpty, ordering: .relaxed)
        }
    }

    /// Ends every stream after its pending events.
    func finish() {
        let outlets = state.withLock { state in
            state.isFinished = true
            return state.outlets
        }
        for outlet in outlets { outlet.continuation.finish() }
    }

    deinit { finish() }
}

/// A listener that is called with each event at once, on the thread of the event, and returns quickly.
///
/// The client finds it in its list of interceptors.
protocol EventListening: Sendable {
    func receive(_ event: ClientEvent)

    /// Notes that the wait after a failed attempt is over, and the next one begins.
    func noteRetryBegan()
}

/// A type with an event hub to which other types can report.
protocol EventHubOwning {
    var eventHub: EventHub { get }
}
