/// The settings of a scenario's clients that differ from the defaults.
struct ClientSettings: Sendable {
    /// A PEM file with the authorities to trust; nil for the client's own.
    var authorities: String?
    /// Whether there may be any number of connections.
    var isUnbounded = false
}
