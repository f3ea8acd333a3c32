/// The progress of an exchange at the time it ended without a response.
struct ExchangeEnd: Sendable {
    /// Whether the call's own deadline has passed.
    var isPastDeadline = false
    /// Whether the request may have left.
    var wasSent = false
    /// The duration of the exchange, including the wait for permits.
    var elapsed = Duration.zero
}
