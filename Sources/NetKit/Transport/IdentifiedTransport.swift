/// A transport that makes servers answer differently from another one: by a client certificate, or because it asks elsewhere.
///
/// Answers over transports of different identities are kept apart.
protocol IdentifiedTransport: Transport {
    /// What tells it from others; nil where nothing does. It may be secret.
    var identity: String? { get }
}
