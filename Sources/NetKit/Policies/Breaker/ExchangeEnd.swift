/// How far an exchange had come when it ended without an answer.
struct ExchangeEnd: Sendable {
    /// Whether the call's own deadline has passed.
    var isPastDeadline = false
    /// Whether the request may have left.
    var wasSent = false
    /// How long it took, waiting for permits included.
    var elapsed = Duration.zero
}
