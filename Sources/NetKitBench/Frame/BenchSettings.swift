/// What scenarios go by.
struct BenchSettings: Equatable, Sendable {
    /// How many rounds are measured; nil for what each scenario takes by itself.
    var rounds: Int?
    /// The numbers of callers that scenarios over the wire are measured with.
    var callers = [1, 16, 64, 256]
    /// How many calls the longest scenario makes; nil for what it takes by itself.
    var calls: Int?
    /// How many MB the slow reader reads slowly; nil for what it takes by itself.
    var slowMegabytes: Int?
    /// What orders and random moments are made from.
    var seed: UInt64 = 1
    var server = ServerChoice.automatic
}
