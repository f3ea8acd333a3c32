public import NetKit

/// Tests a store of yours against every promise in the documentation of `CacheStore`.
///
/// ```swift
/// let conformance = CacheStoreConformance { MyStore() }
///
/// @Test(arguments: CacheStoreConformance.cases)
/// func keepsItsPromise(_ conformanceCase: CacheStoreConformance.Case) async {
///     let result = await conformance.run(conformanceCase)
///     #expect(result.isKept, "\(result)")
/// }
/// ```
/// Each run has a store of its own. A store may forget what it likes at any time, and a case cannot tell that from a
/// fault. Make the store with room for 100 entries and 64 MiB: then a single miss right after a write counts as broken.
/// A body of more than 1 MiB may be refused all the same; the cases that need one are skipped then.
public struct CacheStoreConformance: Sendable {
    /// A case for stores of a cache.
    public typealias Case = StoreConformanceCase<CacheStoreTrial>

    /// Every case, area by area.
    public static let cases: [Case] =
        CacheStoreCases.reading + CacheStoreCases.writing + CacheStoreCases.unfinished + CacheStoreCases.updating
        + CacheStoreCases.removing + CacheStoreCases.invalidating + CacheStoreCases.ordering
        + CacheStoreCases.counting + CacheStoreCases.meanwhile + CacheStoreCases.atOnce + CacheStoreCases.lasting

    private let makeStore: @Sendable () async throws -> any CacheStore
    private let reopen: (@Sendable (any CacheStore) async throws -> any CacheStore)?

    /// Creates the tests of a store.
    ///
    /// - Parameters:
    ///   - makeStore: Makes an empty store for a case.
    ///   - reopen: Opens what a store has kept, as the next process does; nil for a store that ends with its process.
    ///     The argument is the store that was open so far, which may still have writers and gets no further calls.
    public init(
        makeStore: @escaping @Sendable () async throws -> any CacheStore,
        reopen: (@Sendable (any CacheStore) async throws -> any CacheStore)? = nil
    ) {
        (self.makeStore, self.reopen) = (makeStore, reopen)
    }

    /// Tries one case; it ends within the case's time limit, unless the store blocks every thread of the process.
    public func run(_ conformanceCase: Case) async -> StoreConformanceResult {
        await conformanceCase.result(within: conformanceCase.timeLimit) {
            CacheStoreTrial(store: try await makeStore(), reopen: reopen)
        }
    }
}
