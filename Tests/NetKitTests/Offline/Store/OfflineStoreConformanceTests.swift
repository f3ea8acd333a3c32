import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of every case over each store of NetKit, and of the cases with stores that have a fault.
@Suite(.mostlySleeps)
struct OfflineStoreConformanceTests {
    typealias Conformance = OfflineStoreConformance

    enum Kind: CaseIterable, Sendable {
        case folder
        case memory
        case shared
    }

    private static func conformance(
        _ kind: Kind,
        _ wrap: @escaping @Sendable (any OfflineStore) -> any OfflineStore = { $0 }
    ) -> Conformance {
        Conformance(isShared: kind == .shared, isLasting: kind != .memory) {
            switch kind {
            case .folder:
                let folder = try TemporaryFolder()
                return { wrap(JSONOfflineStore(directory: folder.file("queue"))) }
            case .memory: return { wrap(InMemoryOfflineStore()) }
            case .shared:
                let shared = InMemorySharedOfflineStore()
                return { wrap(shared.replica()) }
            }
        }
    }

    @Test(arguments: Kind.allCases, Conformance.cases)
    func keepsItsPromise(kind: Kind, conformanceCase: Conformance.Case) async {
        let result = await Self.conformance(kind).run(conformanceCase)
        #expect(result.isKept, "\(result)")
    }

    /// The cases that apply only to the shared store.
    @Test func noCaseIsSkippedOverTheSharedStore() async {
        var skipped: [String] = []
        for conformanceCase in Conformance.cases {
            let result = await Self.conformance(.shared).run(conformanceCase)
            if result.verdict == .skipped { skipped.append(result.name) }
        }
        #expect(skipped == ["reopen.locked"])
    }

    /// A case about entries that the store does not list has not shown anything.
    @Test(
        arguments: [
            "shards.release", "shards.commit", "shards.remove", "shards.dead-letter", "shards.trim", "shards.pause",
            "shards.pause.longer",
        ]
    )
    func refusesAStoreThatListsTooLittle(name: String) async throws {
        let conformanceCase = try #require(Conformance.cases.first { $0.name == name })
        let lister = BriefLister()
        let result = await Self.conformance(.shared) { store in
            let number = lister.makeNumber()
            return WrongOfflineStore(store, WrongOfflineStore.Wrong(lines: { lister.list($0, of: number) }))
        }
        .run(conformanceCase, within: .seconds(60))
        #expect(result.verdict == .broken, "\(result)")
        #expect(result.seen == "0", "\(result)")
    }

    /// Lists nothing once two queues have listed the 200 entries that a case adds.
    private final class BriefLister: Sendable {
        private let state = Locked((counts: [Int](), isOver: false))

        /// Returns the number of another queue, from 0.
        func makeNumber() -> Int {
            state.withLock { state in
                state.counts.append(0)
                return state.counts.count - 1
            }
        }

        func list(_ listing: OfflineListing, of number: Int) -> OfflineListing {
            state.withLock { state in
                if state.isOver { return OfflineListing(lines: []) }
                state.counts[number] = listing.lines.count
                // The case asks the second queue last.
                state.isOver = number == 1 && !state.counts.contains(0) && state.counts.reduce(0, +) == 200
                return listing
            }
        }
    }

    /// The shards of a store begin with any number.
    @Test func refusesAStoreThatOwnsHighShardsAfterItsEnd() async throws {
        let conformanceCase = try #require(Conformance.cases.first { $0.name == "shards.close" })
        let wrong = WrongOfflineStore.Wrong(owns: { store, shard in shard >= 200 || store.owns(shard) })
        let conformance = Conformance(isShared: true, isLasting: true) {
            let shared = InMemorySharedOfflineStore(shardCount: 4096)
            return { WrongOfflineStore(shared.replica(), wrong) }
        }
        let result = await conformance.run(conformanceCase, within: .seconds(60))
        #expect(result.verdict == .broken, "\(result)")
        #expect(result.seen == "the first owns some: true", "\(result)")
    }

    @Test(arguments: WrongOfflineStore.wrongs.keys.sorted())
    func refusesAWrongStore(name: String) async throws {
        let conformanceCase = try #require(Conformance.cases.first { $0.name == name })
        let wrong = try #require(WrongOfflineStore.wrongs[name])
        let kind: Kind = name == "reopen.locked" ? .folder : .shared
        let result = await Self.conformance(kind) { WrongOfflineStore($0, wrong) }
            .run(conformanceCase, within: .seconds(2))
        #expect(!result.isKept, "\(result)")
    }

    /// A fault breaks some cases, and no other ones of their areas.
    @Test(arguments: OfflineStoreFault.all)
    func detectsAFault(_ fault: OfflineStoreFault) async {
        let broken = await FaultTrial(fault.brokenCases).brokenCases(of: Conformance.cases) {
            await fault.conformance.run($0)
        }
        #expect(broken == fault.brokenCases, "a store that \(fault)")
    }

    @Test func everyCaseRefusesAStore() {
        let names = Conformance.cases.map(\.name)
        #expect(Set(names).count == names.count)
        let refusing = OfflineStoreFault.all.reduce(into: Set(WrongOfflineStore.wrongs.keys)) {
            $0.formUnion($1.brokenCases)
        }
        #expect(refusing == Set(names))
    }
}
