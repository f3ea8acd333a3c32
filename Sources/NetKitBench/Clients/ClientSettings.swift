/// The settings of a scenario's clients that differ from the defaults.
struct ClientSettings: Sendable {
    /// A PEM file with the authorities to trust; `nil` uses the client's own.
    var authorities: String?
    /// Whether the number of connections is unlimited.
    var isUnbounded = false
}
