/// The settings of scenarios.
struct BenchSettings: Equatable, Sendable {
    /// The number of measured rounds; `nil` uses the default of each scenario.
    var rounds: Int?
    /// The numbers of callers for scenarios over the wire.
    var callers = [1, 16, 64, 256]
    /// The number of calls of the longest scenarios; `nil` for their defaults.
    var calls: Int?
    /// The number of MB that the slow reader reads slowly; `nil` for its default.
    var slowMegabytes: Int?
    /// The seed for orders and random moments.
    var seed: UInt64 = 1
    var server = ServerChoice.automatic
}
