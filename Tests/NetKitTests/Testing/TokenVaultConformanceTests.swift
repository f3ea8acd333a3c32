import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of every case over each vault of NetKit, and of the cases with vaults that have a fault.
@Suite(.mostlySleeps)
struct TokenVaultConformanceTests {
    typealias Conformance = TokenVaultConformance

    @Test(arguments: Conformance.cases)
    func inMemory(_ conformanceCase: Conformance.Case) async {
        let conformance = Conformance {
            let vault = InMemoryTokenVault()
            return { vault.replica() }
        }
        let result = await conformance.run(conformanceCase)
        #expect(result.verdict == .kept, "\(result)")
    }

    @Test(arguments: Conformance.cases, [false, true])
    func inAFile(_ conformanceCase: Conformance.Case, isSealed: Bool) async throws {
        let folder = try TemporaryFolder()
        let seal = RecordSeal(seal: { Data($0.map { $0 ^ 0x5A }) }, open: { Data($0.map { $0 ^ 0x5A }) })
        let conformance = Conformance {
            { FileTokenVault(file: folder.file("token.json"), seal: isSealed ? seal : nil) }
        }
        let result = await conformance.run(conformanceCase)
        #expect(result.verdict == .kept, "\(result)")
    }

    /// A clock whose date is 100 ms later at each reading.
    private struct SteppingClock: ClockSource {
        let readings = Shared(0)

        var now: NetKitClock.Instant { NetKitClock.system.now }
        var date: Date {
            let count = readings.withLock { count in
                count += 1
                return count
            }
            // Half a millisecond more, so that the milliseconds are never rounded down to the previous one.
            return Date(timeIntervalSince1970: 1_800_000_000 + Double(count) / 10 + 0.0005)
        }

        func sleep(until deadline: NetKitClock.Instant) async throws {
            try await NetKitClock.system.sleep(until: deadline)
        }

        func schedule(at deadline: NetKitClock.Instant, _ action: @escaping @Sendable () -> Void) -> ClockAlarm {
            NetKitClock.system.schedule(at: deadline, action)
        }
    }

    /// The versions in a file are times, and no version that a case makes up may be one of them.
    @Test func savesInAFileMayBe100MillisecondsApart() async throws {
        let folder = try TemporaryFolder()
        let clock = NetKitClock(SteppingClock())
        let conformance = Conformance { { FileTokenVault(file: folder.file("token.json"), clock: clock) } }
        let versionCase = try #require(Conformance.cases.first { $0.name == "save.version" })
        let result = await conformance.run(versionCase)
        #expect(result.verdict == .kept, "\(result)")
    }

    /// A fault breaks some cases, and no other ones of their areas.
    @Test(arguments: TokenVaultFault.all)
    func detectsAFault(_ fault: TokenVaultFault) async {
        let broken = await FaultTrial(fault.brokenCases).brokenCases(of: Conformance.cases) {
            await fault.conformance.run($0)
        }
        #expect(broken == fault.brokenCases, "a vault that \(fault)")
    }

    @Test func everyCaseDetectsAFault() {
        let names = Conformance.cases.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(TokenVaultFault.all.reduce(into: Set<String>()) { $0.formUnion($1.brokenCases) } == Set(names))
    }
}
