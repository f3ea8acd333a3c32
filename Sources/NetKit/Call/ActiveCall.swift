/// A snapshot of a call that is in flight.
public struct ActiveCall: Sendable, Identifiable {
    /// The identifier of the call, for cancelling it.
    public let id: CallID
    /// The method and the URL, in which user information and sensitive query items are masked.
    public let requestLine: String
    /// The time since the call began.
    public let age: Duration
    /// The number of exchanges it has begun.
    public let attempts: Int

    init(_ call: Call, now: NetKitClock.Instant) {
        id = call.id
        requestLine = call.redaction.requestLine(for: call.request)
        age = call.start.duration(to: now)
        attempts = call.attemptCount
    }
}
