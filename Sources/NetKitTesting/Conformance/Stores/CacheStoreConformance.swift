public import NetKit

/// Tests a store against every promise in the documentation of `CacheStore`.
///
/// ```swift
/// let conformance = CacheStoreConformance { MyStore() }
///
/// @Test(arguments: CacheStoreConformance.cases)
/// func passes(_ conformanceCase: CacheStoreConformance.Case) async {
///     let result = await conformance.run(conformanceCase)
///     #expect(result.isKept, "\(result)")
/// }
/// ```
/// Each run has a separate store. A store may drop entries at any time, which a case cannot distinguish from a fault.
/// Therefore, create a store with room for 100 entries and 64 MiB; a miss right after a write counts as broken. The
/// store may still refuse bodies of more than 1 MiB; the cases that need them are then skipped.
public struct CacheStoreConformance: Sendable {
    /// A case for stores of a cache.
    public typealias Case = StoreConformanceCase<CacheStoreTrial>

    /// All cases, by area.
    public static let cases: [Case] =
        CacheStoreCases.reading + CacheStoreCases.writing + CacheStoreCases.unfinished + CacheStoreCases.updating
        + CacheStoreCases.removing + CacheStoreCases.invalidating + CacheStoreCases.ordering
        + CacheStoreCases.counting + CacheStoreCases.meanwhile + CacheStoreCases.atOnce + CacheStoreCases.lasting

    private let makeStore: @Sendable () async throws -> any CacheStore
    private let reopen: (@Sendable (any CacheStore) async throws -> any CacheStore)?

    /// Creates the tests of a store.
    ///
    /// - Parameters:
    ///   - makeStore: A closure that returns an empty store for a case.
    ///   - reopen: A closure that opens a store again, as the next process does, or `nil` for a store that ends with
    ///     its process. Its argument is the previous store, which may still have writers and gets no further calls.
    public init(
        makeStore: @escaping @Sendable () async throws -> any CacheStore,
        reopen: (@Sendable (any CacheStore) async throws -> any CacheStore)? = nil
    ) {
        (self.makeStore, self.reopen) = (makeStore, reopen)
    }

    /// Tries one case.
    ///
    /// The run ends within the case's time limit, unless the store blocks every thread of the process.
    public func run(_ conformanceCase: Case) async -> StoreConformanceResult {
        await conformanceCase.result(within: conformanceCase.timeLimit) {
            CacheStoreTrial(store: try await makeStore(), reopen: reopen)
        }
    }
}
