/// An exchange under way that other calls can wait for.
///
/// The call that makes it, its leader, lands it once. A waiting call ends by its own cancellation and its own deadline.
final class CacheFlight: Sendable {
    /// The end of an exchange, as seen by the calls that wait for it.
    enum Landing: Sendable {
        /// A response that may be used for every call with the same request.
        case response(CacheCall.StoredMatch, varyingBy: VaryingFields)
        /// A response for one caller only, or one that takes too long; it is lasting if the next one will be alike.
        case unusable(isLasting: Bool)
        /// A response that says that the server failed.
        case serverFailure(HTTPStatus)
        /// No response: the server cannot be reached.
        case failure(any Error)
        /// No response: the leader was cancelled, or has no time left.
        case abandoned
    }

    /// The names of the fields that select among responses, and their values in the leader's request.
    struct VaryingFields: Sendable {
        let names: [String]
        let headers: HTTPHeaders

        /// Returns whether another request has the same values.
        func match(_ other: HTTPHeaders) -> Bool {
            names.allSatisfy { VaryNames.haveSameValue(of: $0, headers, other) }
        }
    }

    private struct State: ~Copyable {
        var landing: Landing?
        var waiting: [ObjectIdentifier: Promise<Landing>] = [:]
        var body: SharedBody?
    }

    let key: CacheFlights.Key
    private let timeouts: Timeouts
    private let priority: TaskPriority
    private let flights: CacheFlights
    private let state = Locked(State())

    init(_ key: CacheFlights.Key, _ call: Call, in flights: CacheFlights) {
        self.key = key
        (timeouts, priority) = (call.timeouts, call.priority)
        self.flights = flights
    }

    /// Returns whether a call would be served no later and no worse than by an exchange of its own.
    func suits(_ call: Call) -> Bool {
        guard call.priority <= priority else { return false }
        // Each call keeps its deadline; the other limits are those of the exchange.
        var limits = call.timeouts
        limits.total = timeouts.total
        return limits == timeouts
    }

    /// Whether a body that is still arriving decides how the flight ends.
    var hasBody: Bool { state.withLock { $0.body != nil } }

    /// The number of calls that wait for the landing.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Waits for the landing, or throws the error that ends the waiting call.
    func landing(for context: RequestContext) async throws -> Landing {
        let promise = Promise<Landing>()
        let id = ObjectIdentifier(promise)
        let (landing, body) = state.withLock { state in
            if state.landing == nil { state.waiting[id] = promise }
            return (state.landing, state.body)
        }
        if let landing { return landing }
        body?.startReadingAhead()
        defer { leave(id) }
        return try await context.call.wait(for: promise) { promise.resolve(.failure($0)) }
    }

    private func leave(_ id: ObjectIdentifier) {
        let body = state.withLock { state in
            state.waiting.removeValue(forKey: id)
            return state.waiting.isEmpty ? state.body : nil
        }
        guard let body else { return }
        body.stopReadingAhead()
        // A call that arrived meanwhile found the body still being read ahead, and did not start that again.
        if waitingCount > 0 { body.startReadingAhead() }
    }

    /// Lets a body that is still arriving land the flight, and reads the body ahead if calls wait for it.
    func attach(_ body: SharedBody) {
        let isAwaited = state.withLock { state in
            guard state.landing == nil else { return false }
            state.body = body
            return !state.waiting.isEmpty
        }
        if isAwaited { body.startReadingAhead() }
    }

    /// Ends the flight; only the first landing counts.
    func land(_ landing: Landing) {
        let promises = state.withLock { state -> [Promise<Landing>]? in
            guard state.landing == nil else { return nil }
            state.landing = landing
            state.body = nil
            return Array(exchange(&state.waiting, with: [:]).values)
        }
        guard let promises else { return }
        flights.remove(self, landing)
        for promise in promises { promise.resolve(.success(landing)) }
    }
}
