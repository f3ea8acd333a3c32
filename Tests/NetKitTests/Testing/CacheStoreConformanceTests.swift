import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// The cases of `CacheStoreConformance`: NetKit's own stores keep them, and stores with a fault do not.
@Suite(.timeLimit(.minutes(1)))
struct CacheStoreConformanceTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test(arguments: CacheStoreConformance.cases)
    func memoryKeeps(_ conformanceCase: CacheStoreConformance.Case) async {
        let result = await CacheStoreConformance { MemoryCacheStore() }.run(conformanceCase)
        #expect(result.isKept, "\(result)")
    }

    @Test(arguments: CacheStoreConformance.cases)
    func diskKeeps(_ conformanceCase: CacheStoreConformance.Case) async {
        let conformance = CacheStoreConformance { [folder] in
            DiskCacheStore(directory: folder.file("cache"))
        } reopen: { [folder] _ in
            DiskCacheStore(directory: folder.file("cache"))
        }
        let result = await conformance.run(conformanceCase)
        #expect(result.verdict == .kept, "\(result)")
    }

    @Test(arguments: CacheStoreConformance.cases)
    func tiersKeep(_ conformanceCase: CacheStoreConformance.Case) async {
        let result = await conformance(ofTiersWithMemory: 64 << 20).run(conformanceCase)
        #expect(result.verdict == .kept, "\(result)")
    }

    /// Large bodies are on disk alone.
    @Test(arguments: CacheStoreConformance.cases)
    func tiersWithLittleMemoryKeep(_ conformanceCase: CacheStoreConformance.Case) async {
        let result = await conformance(ofTiersWithMemory: 8 << 20).run(conformanceCase)
        #expect(result.verdict == .kept, "\(result)")
    }

    private func conformance(ofTiersWithMemory byteLimit: Int) -> CacheStoreConformance {
        @Sendable func open() -> TieredCacheStore {
            let disk = DiskCacheStore(directory: folder.file("cache"))
            return TieredCacheStore(memory: MemoryCacheStore(byteLimit: byteLimit), disk: disk)
        }
        return CacheStoreConformance {
            open()
        } reopen: { _ in
            open()
        }
    }

    @Test(arguments: CacheStoreConformance.cases)
    func isNotKeptByAStoreWithAFault(_ conformanceCase: CacheStoreConformance.Case) async {
        let faults = CacheStoreFault.all.filter { $0.brokenCases.contains(conformanceCase.name) }
        #expect(faults.count > 0, "there is no store that the case could refuse")
        for fault in faults {
            let result = await fault.conformance.run(conformanceCase)
            #expect(result.verdict == .broken, "a store that \(fault.summary)")
        }
    }

    /// The stores with a fault are right but for the fault.
    @Test(arguments: CacheStoreConformance.cases)
    func isKeptWithoutAFault(_ conformanceCase: CacheStoreConformance.Case) async {
        let result = await CacheStoreFault("has no fault", breaks: []) { _ in }.conformance.run(conformanceCase)
        #expect(result.verdict == .kept, "\(result)")
    }

    @Test func namesAreUniqueAndKnown() {
        let names = CacheStoreConformance.cases.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(CacheStoreFault.all.reduce(into: Set()) { $0.formUnion($1.brokenCases) }.subtracting(names) == [])
    }

    @Test func casesThatAStoreCannotTakePartInAreSkipped() async throws {
        let small = CacheStoreConformance { MemoryCacheStore(byteLimit: 1 << 20) }
        let results = try await withThrowingTaskGroup(of: StoreConformanceResult.self) { group in
            for name in ["write.large", "reopen.entries"] {
                let conformanceCase = try #require(CacheStoreConformance.cases.first { $0.name == name })
                group.addTask { await small.run(conformanceCase) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.map(\.verdict) == [.skipped, .skipped])
        #expect(results.map(\.isKept) == results.map { _ in true })
    }
}
