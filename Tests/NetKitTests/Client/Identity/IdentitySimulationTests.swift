import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests that each call gets, stores and sends only what belongs to its own user, while users log in and out.
///
/// There are 15 kinds of simulation with 8 seeds each. The kinds with all features have 15, because some of their
/// events are rare. With `NETKIT_LONG=1` there are 715 seeds each, 10,725 in all.
@Suite(.serialized, .computes(for: .seconds(600)))
struct IdentitySimulationTests {
    private static let isLong = ProcessInfo.processInfo.environment["NETKIT_LONG"] == "1"

    @Test(arguments: IdentityFocus.allCases)
    func aCallGetsStoresAndSendsOnlyItsUsersData(focus: IdentityFocus) async throws {
        let hasAll = [.everything, .everythingUnnamed].contains(focus)
        let seeds = focus.seeds(Self.isLong ? 715 : hasAll ? 15 : 8)
        let (findings, counts) = try await aside {
            var findings: [String] = []
            var counts: [IdentityEvent: Int] = [:]
            for seed in seeds {
                let world = IdentityWorld(focus.features, seed: seed)
                try await world.run()
                if let problem = world.judge.problems.first { findings.append("seed \(seed): \(problem)") }
                counts.merge(world.judge.counts, uniquingKeysWith: +)
            }
            return (findings, counts)
        }
        #expect(findings.isEmpty, "\(findings.count) of \(seeds.count) seeds, \(findings.first ?? "")")
        let missing = focus.expectedEvents.filter { counts[$0] == nil }
        #expect(missing.isEmpty, "Without these events the simulations prove nothing.")
    }

    @Test(arguments: [IdentityFocus.everything, .everythingUnnamed])
    func equalSeedsGiveEqualTraces(focus: IdentityFocus) async throws {
        let fingerprints = try await aside {
            var fingerprints: [UInt64] = []
            for seed in [3, 3, 4] as [UInt64] {
                let world = IdentityWorld(focus.features, seed: seed)
                try await world.run()
                fingerprints.append(world.simulation.fingerprint)
            }
            return fingerprints
        }
        #expect(fingerprints[0] == fingerprints[1])
        #expect(fingerprints[0] != fingerprints[2])
    }
}
