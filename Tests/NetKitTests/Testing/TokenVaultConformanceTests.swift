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
