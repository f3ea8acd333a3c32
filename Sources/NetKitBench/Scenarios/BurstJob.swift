/// Calls that one client starts all at once.
struct BurstJob: ClientJob {
    static let name = "burst"

    let client: String
    let server: ServerAddress
    let calls: Int
    /// Whether the server holds each call for a while, so that no call may wait for another.
    let isHeld: Bool

    var settings: ClientSettings { ClientSettings(isUnbounded: isHeld) }

    func measure(_ client: any BenchClient) async -> Measurement {
        let url = isHeld ? server.held : server.small
        return await .atOnce(calls) { _ = try await client.get(url) }
    }

    #if os(Linux)
        func measure(_ floor: Floor) async throws -> Measurement {
            let url = isHeld ? server.held : server.small
            // The floor has no queue of its own for what waits, so it makes as many calls at once as it has
            // connections.
            let callers = isHeld ? calls : 256
            return try await floor.measure(Floor.Task(url: url, extent: .calls(calls), callers: callers))
        }
    #endif
}
