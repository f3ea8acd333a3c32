/// One of those that are compared: a name, and what runs one round of it.
struct Contender: Sendable {
    let name: String
    let measure: @Sendable () async throws -> Measurement
}
