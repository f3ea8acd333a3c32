import NetKit

/// Writes down what happens in clients, for the timeline.
final class TourRecorder: Sendable {
    private struct State {
        var events: [ClientEvent] = []
        var listeners: [Task<Void, Never>] = []
    }

    private let state = Locked(State())

    deinit {
        for listener in state.withLock({ $0.listeners }) { listener.cancel() }
    }

    func follow(_ client: HTTPClient) {
        let events = client.events(capacity: 10_000)
        let listener = Task { [weak self] in
            for await event in events { self?.add(event) }
        }
        state.withLock { $0.listeners.append(listener) }
    }

    private func add(_ event: ClientEvent) {
        state.withLock { $0.events.append(event) }
    }

    /// Ends the listening, and makes a page of what was heard.
    func page() async -> String {
        let listeners = state.withLock { $0.listeners }
        for listener in listeners {
            listener.cancel()
            await listener.value
        }
        let events = state.withLock { $0.events }
        return TimelinePage(events).html
    }
}
