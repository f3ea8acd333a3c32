/// A transport that makes servers answer differently from another one: by a client certificate, or because it asks elsewhere.
///
/// Answers over transports of different identities are kept apart.
protocol IdentifiedTransport: Transport {
    /// The identity, which may be secret; `nil` if servers respond as to any other transport.
    var identity: String? { get }
}
