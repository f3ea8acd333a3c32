import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of every case over each store of NetKit, and of each case with a store that must fail it.
@Suite(.needsTheMachine)
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

    @Test(arguments: Conformance.cases)
    func refusesAWrongStore(conformanceCase: Conformance.Case) async throws {
        let wrong = try #require(WrongOfflineStore.wrongs[conformanceCase.name], "no wrong store for this case")
        let kind: Kind = conformanceCase.name == "reopen.locked" ? .folder : .shared
        let result = await Self.conformance(kind) { WrongOfflineStore($0, wrong) }
            .run(conformanceCase, within: .seconds(2))
        #expect(!result.isKept, "\(result)")
    }
}
