import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of several processes with many callers that share an expiring, rotating token, while processes die and the
/// vault fails.
///
/// Each version is refreshed once, unless its holder died. No refresh token is spent after a newer one was saved.
@Suite(.serialized, .computes(for: .seconds(3600)))
struct SharedTokenSimulationTests {
    private static let isLong = ProcessInfo.processInfo.environment["NETKIT_LONG"] == "1"
    private static let seeds: [UInt64] = isLong ? Array(1...500) : [1, 2, 3, 4, 5, 6]
    private static let callers = isLong ? 100 : 40

    /// A process with its store, which is replaced after it has died.
    private final class Process: Sendable {
        private struct State {
            var replica: InMemoryTokenVault.Replica
            var store: TokenStore?
            var deaths = 0
        }

        private let (simulation, vault, server): (Simulation, InMemoryTokenVault, RotatingServer)
        private let state: Locked<State>

        init(_ simulation: Simulation, _ vault: InMemoryTokenVault, _ server: RotatingServer) {
            (self.simulation, self.vault, self.server) = (simulation, vault, server)
            state = Locked(State(replica: vault.replica()))
            start()
        }

        var store: TokenStore? { state.withLock { $0.store } }
        var replica: InMemoryTokenVault.Replica { state.withLock { $0.replica } }

        func start() {
            let replica = vault.replica()
            let store = TokenStore(
                shared: replica,
                identity: "service",
                refreshAhead: .seconds(5),
                clock: simulation.clock
            ) { [simulation, server, weak self] token in
                try await simulation.sleep(for: .milliseconds(Int(simulation.random.next() % 400)))
                // It may die before the request reaches the server, or after.
                let fate = simulation.random.next() % 10
                if fate == 0 { try await self?.die(replica) }
                // The server of a grace period takes the token again if its successor was lost.
                if fate == 1 { server.excuse(token) }
                let next = try server.renew(token)
                if fate == 1 { try await self?.die(replica) }
                try await simulation.sleep(for: .milliseconds(Int(simulation.random.next() % 400)))
                return next
            }
            state.withLock { ($0.replica, $0.store) = (replica, store) }
        }

        /// Ends the process, so that nothing of it reaches the vault any more.
        private func die(_ replica: InMemoryTokenVault.Replica) async throws {
            replica.cutOff()
            state.withLock { state in
                state.store = nil
                state.deaths += 1
            }
            throw CancellationError()
        }

        var deaths: Int { state.withLock { $0.deaths } }
    }

    @Test(arguments: seeds)
    func aVersionIsRefreshedOnce(seed: UInt64) async throws {
        let simulation = Simulation(seed: seed)
        let vault = InMemoryTokenVault(clock: simulation.clock)
        let server = RotatingServer(simulation.clock, life: .seconds(30))
        let processes = (0..<4).map { _ in Process(simulation, vault, server) }
        let (got, failed) = (Notebook<String>(), Notebook<String>())
        try await simulation.run {
            let end = Duration.seconds(600)
            async let faults: Void = {
                while simulation.now < end {
                    try? await simulation.sleep(for: .milliseconds(Int(simulation.random.next() % 6_000)))
                    let process = processes[Int(simulation.random.next() % 4)]
                    switch simulation.random.next() % 4 {
                    case 0: process.replica.loseSaves(1)
                    case 1: process.replica.slowDown(to: .milliseconds(Int(simulation.random.next() % 800)))
                    case 2: process.replica.slowDown(to: .zero)
                    default: break
                    }
                    for process in processes where process.store == nil { process.start() }
                }
            }()
            await simulation.callers(Self.callers) { number in
                let process = processes[number % 4]
                while simulation.now < end {
                    try? await simulation.sleep(for: .milliseconds(Int(simulation.random.next() % 4_000)))
                    guard let store = process.store else { continue }
                    do {
                        got.add(try await store.token().value)
                    } catch {
                        failed.add("\(error)")
                    }
                }
            }
            await faults
        }
        let deaths = processes.reduce(0) { $0 + $1.deaths }
        #expect(server.complaints == [])
        #expect(server.number >= 20)
        #expect(server.doubles <= deaths)
        #expect(got.count > failed.count * 4, "\(got.count) tokens, \(failed.count) failures, \(deaths) deaths")
    }

    /// Without faults, the number of refreshes is that of the expiries, and no call fails.
    @Test func withoutFaultsThereIsOneRefreshForEachExpiry() async throws {
        let simulation = Simulation(seed: 9)
        let vault = InMemoryTokenVault(clock: simulation.clock)
        let server = RotatingServer(simulation.clock, life: .seconds(30))
        let stores = (0..<8).map { _ in
            TokenStore(shared: vault.replica(), refreshAhead: .zero, clock: simulation.clock) { token in
                try await simulation.sleep(for: .milliseconds(100))
                return try server.renew(token)
            }
        }
        try await simulation.run {
            await simulation.callers(800) { number in
                for _ in 0..<20 {
                    _ = await thrownCode { try await stores[number % 8].token() }.map { Issue.record("\($0)") }
                    try? await simulation.sleep(for: .seconds(30))
                }
            }
        }
        #expect(server.number == 20)
        #expect(server.complaints == [])
        #expect(vault.leaseCount == 20)
    }
}
