/// A subject of a comparison: a name, and a closure that runs and measures one round.
struct Contender: Sendable {
    let name: String
    let measure: @Sendable () async throws -> Measurement
}
