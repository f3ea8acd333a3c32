import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests that a seed also determines the order of what several processes do with a store that they share.
@Suite(.computes(for: .seconds(120)))
struct SharedStoreSeedTests {
    private static func fingerprintOfAQueue() async throws -> UInt64 {
        let simulation = Simulation(seed: 5)
        let host = SimulatedHost(.sometimes(.status(503), rate: 0.1, otherwise: .status(204)))
        simulation.host("api.example.com", host)
        let client = HTTPClient(
            baseURL: URL(string: "https://api.example.com"),
            transport: simulation.transport,
            interceptors: [],
            configuration: simulation.configuration
        )
        try await simulation.run {
            let shared = InMemorySharedOfflineStore(clock: simulation.clock)
            var queues: [OfflineQueue] = []
            for number in 0..<4 {
                var configuration = OfflineQueue.Configuration()
                (configuration.clock, configuration.random) = (simulation.clock, simulation.random)
                let replica = shared.replica("\(number)")
                queues.append(try await OfflineQueue(store: replica, sender: client, configuration: configuration))
            }
            for number in 0..<60 {
                try await queues[number % 4].enqueue(.post("/\(number)", lane: "\(number % 16)"))
                if number % 10 == 9 { try await simulation.sleep(for: .milliseconds(700)) }
            }
            await queues[0].close()
            for _ in 0..<200 where shared.count > 0 { try await simulation.sleep(for: .seconds(1)) }
            for queue in queues { await queue.close() }
        }
        return simulation.fingerprint
    }

    private static func fingerprintOfTokens() async throws -> UInt64 {
        let simulation = Simulation(seed: 5)
        let vault = InMemoryTokenVault(clock: simulation.clock)
        let stores = (0..<12).map { _ in
            TokenStore(shared: vault.replica(), refreshAhead: .zero, clock: simulation.clock) { _ in
                try await simulation.sleep(for: .milliseconds(100))
                return AccessToken("a", expiresIn: .seconds(600), clock: simulation.clock)
            }
        }
        try await simulation.run {
            await simulation.callers(stores.count) { number in
                _ = try? await stores[number].token()
                simulation.note("\(number)")
            }
        }
        return simulation.fingerprint
    }

    @Test func replicasOfAQueue() async throws {
        var fingerprints: Set<UInt64> = []
        for _ in 0..<20 { fingerprints.insert(try await Self.fingerprintOfAQueue()) }
        #expect(fingerprints.count == 1)
    }

    @Test func processesThatWaitForAToken() async throws {
        var fingerprints: Set<UInt64> = []
        for _ in 0..<20 { fingerprints.insert(try await Self.fingerprintOfTokens()) }
        #expect(fingerprints.count == 1)
    }
}
