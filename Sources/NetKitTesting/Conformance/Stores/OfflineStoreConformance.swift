import Foundation
public import NetKit

/// Tests a store of offline queues against every promise of `OfflineStore`.
///
/// ```swift
/// let conformance = OfflineStoreConformance(isShared: true, isLasting: true) {
///     let name = UUID().uuidString
///     return { try await MyStore(table: name) }
/// }
///
/// @Test(arguments: OfflineStoreConformance.cases)
/// func passes(_ conformanceCase: OfflineStoreConformance.Case) async {
///     let result = await conformance.run(conformanceCase)
///     #expect(result.isKept, "\(result)")
/// }
/// ```
/// Each case begins with a separate, empty place. A case that does not apply to the store is skipped.
public struct OfflineStoreConformance: Sendable {
    /// A case about a store of offline queues.
    public typealias Case = StoreConformanceCase<OfflineStoreTrial>
    /// A closure that returns another store over the same place.
    public typealias Opener = @Sendable () async throws -> any OfflineStore

    /// All cases.
    public static let cases: [Case] = [
        appendCases, coalescingCases, boundCases, releaseCases, removalCases, readingCases, listingCases, pauseCases,
        lastingCases, sharingCases, neighborCases, noticeCases,
    ].flatMap { $0 }

    private let isShared: Bool
    private let isLasting: Bool
    private let makePlace: @Sendable () async throws -> Opener

    /// Creates the tests of a store.
    ///
    /// - Parameters:
    ///   - isShared: Whether several stores can use one place at the same time.
    ///   - isLasting: Whether the entries outlive a closed store.
    ///   - makePlace: A closure that creates an empty place, such as a folder or a table, and returns a closure that
    ///     makes stores over it.
    public init(isShared: Bool, isLasting: Bool, makePlace: @escaping @Sendable () async throws -> Opener) {
        self.isShared = isShared
        self.isLasting = isLasting
        self.makePlace = makePlace
    }

    /// Tries one case.
    ///
    /// The run always ends, whatever the store does.
    public func run(_ conformanceCase: Case) async -> StoreConformanceResult {
        await run(conformanceCase, within: conformanceCase.timeLimit)
    }

    /// Tries one case with another time limit, for tests of the cases themselves.
    package func run(_ conformanceCase: Case, within limit: Duration) async -> StoreConformanceResult {
        await conformanceCase.result(within: limit) {
            OfflineStoreTrial(makeStore: try await makePlace(), isShared: isShared, isLasting: isLasting)
        }
    }
}

/// The context of a case, with an empty place for entries.
public struct OfflineStoreTrial: Sendable {
    let makeStore: OfflineStoreConformance.Opener
    let isShared: Bool
    let isLasting: Bool

    /// Returns an open store over the place and its notices.
    func open() async throws -> (store: any OfflineStore, notices: RecordedNotices) {
        let (store, notices) = (try await makeStore(), RecordedNotices())
        try await store.open(clock: .system) { notices.add($0) }
        return (store, notices)
    }

    /// Returns an open store over the place.
    func store() async throws -> any OfflineStore { try await open().store }

    /// Returns an open store over the place, which other stores can use as well.
    func sharedStore() async throws -> any OfflineStore {
        guard isShared else { throw ConformanceFailure.notPossible("the store has one queue") }
        return try await store()
    }

    /// Returns two stores over the place, each with some of the shards.
    func pair() async throws -> (first: any OfflineStore, second: any OfflineStore, lanes: [String]) {
        let (first, second) = (try await sharedStore(), try await store())
        // Lanes of many shards, so that each store has some.
        let lanes = (0..<200).map { "lane-\($0)" }
        for lane in lanes { try await first.add(.sample("/\(lane)", lane: lane)) }
        try await wait(for: "both own shards") {
            let (one, two) = (try await first.lanes(), try await second.lanes())
            // The first store releases its surplus.
            if two.isEmpty { await first.relinquish(try await first.surplus()) }
            return !one.isEmpty && !two.isEmpty && one.isDisjoint(with: two) && one.count + two.count == lanes.count
        }
        return (first, second, lanes)
    }

    /// Returns a store that owns every shard, its notices, and another store over the place.
    func neighbors() async throws -> (owner: any OfflineStore, notices: RecordedNotices, other: any OfflineStore) {
        guard isShared else { throw ConformanceFailure.notPossible("the store has one queue") }
        let (owner, notices) = try await open()
        return (owner, notices, try await store())
    }
}

/// The notices of a store.
final class RecordedNotices: Sendable {
    private let notices = Locked<[OfflineNotice]>([])

    func add(_ notice: OfflineNotice) {
        notices.withLock { $0.append(notice) }
    }

    /// Forgets the notices of additions, which a store may send a moment later.
    func forgetAdditions() async throws {
        try await NetKitClock.system.sleep(for: .milliseconds(200))
        notices.withLock { $0 = [] }
    }

    /// The shards that the store reported as owned from then on.
    var gained: Set<Int> {
        notices.withLock { notices in
            var gained: Set<Int> = []
            for case .gained(let shards) in notices { gained.formUnion(shards) }
            return gained
        }
    }

    /// Returns whether the store reported work in a shard.
    func hasWork(in shard: Int) -> Bool {
        notices.withLock { notices in
            notices.contains { if case .work(let shards) = $0 { shards.contains(shard) } else { false } }
        }
    }
}

extension QueuedRequest {
    /// Returns a small request for a case.
    static func sample(_ path: String = "/", lane: String = "a", key: String? = nil) -> QueuedRequest {
        QueuedRequest(
            HTTPRequest(.post, RequestPath(raw: path), body: .text("{}")),
            lane: lane,
            coalescingKey: key,
            idempotencyKey: "key of \(path)"
        )
    }
}

extension OfflineStore {
    /// Adds a request, which has to succeed.
    @discardableResult
    func add(
        _ request: QueuedRequest,
        _ bounds: OfflineBounds = OfflineBounds(),
        byteCount: Int = 10
    ) async throws -> (entry: OfflineEntry, replaced: [UUID], dropped: [UUID]) {
        let addition = OfflineAddition(request: request, byteCount: byteCount, identity: request.identity)
        guard case .added(let entry, let replaced, let dropped) = try await append(addition, within: bounds) else {
            throw ConformanceFailure.broken(expected: "the entry is added", seen: "another one is kept")
        }
        return (entry, replaced.map(\.id), dropped.map(\.id))
    }

    /// Adds requests one after another, which have to succeed.
    func add(all requests: [QueuedRequest]) async throws -> [OfflineEntry] {
        var entries: [OfflineEntry] = []
        for request in requests { entries.append(try await add(request).entry) }
        return entries
    }

    /// Returns the error code of a refused addition, or `nil` if it succeeds.
    func refusal(of request: QueuedRequest, _ bounds: OfflineBounds = OfflineBounds()) async -> NetKitError.Code? {
        let addition = OfflineAddition(request: request, byteCount: 10, identity: request.identity)
        return await errorCode { _ = try await append(addition, within: bounds) }
    }

    /// Returns the waiting entries in the order in which they are listed.
    func waiting() async throws -> [OfflineListedEntry] {
        try await lines(of: nil, depth: .max).lines.filter { $0.entry.state == .waiting }
    }

    /// Returns the first waiting entries, of which there have to be as many.
    func front(_ count: Int) async throws -> [OfflineEntry] {
        let entries = try await waiting().prefix(count).map(\.entry)
        let expected = count.counting("waiting entry", "waiting entries")
        try expect(expected, entries.count == count, seen: "\(entries.count)")
        return entries
    }

    /// Returns the identifiers of the waiting entries in the order in which they are listed.
    func waitingIDs() async throws -> [UUID] { try await waiting().map(\.entry.id) }

    /// Returns the lanes that the store owns.
    func lanes() async throws -> Set<String> { Set(try await waiting().map(\.entry.lane)) }

    /// Returns half of the shards that the store owns.
    func surplus() async throws -> Set<Int> {
        let shards = Set(try await waiting().map(\.entry.shard)).sorted()
        return Set(shards.prefix(shards.count / 2))
    }

    /// Turns an entry into a dead letter.
    func bury(_ entry: OfflineEntry, status: HTTPStatus = 422, holdsUpLane: Bool = false) async throws {
        var update = OfflineUpdate(entry)
        update.state = .deadLetter
        update.status = status
        update.holdsUpLane = holdsUpLane
        let date = Date(timeIntervalSince1970: 1_800_000_000)
        update.detail = OfflineDetail(reason: .refused, message: "It was refused.", date: date)
        try expect("the entry can be released", try await release(entry.id, update), is: true)
    }

    /// Turns an entry into a conflict.
    func dispute(_ entry: OfflineEntry) async throws {
        var update = OfflineUpdate(entry)
        update.state = .conflict
        update.retryCount = 2
        update.conflictCount = 1
        update.status = 409
        let date = Date(timeIntervalSince1970: 1_800_000_000)
        update.detail = OfflineDetail(message: "It was changed.", date: date)
        try expect("the entry can be released", try await release(entry.id, update), is: true)
    }

    /// Returns the stored data of an entry.
    func stored(_ id: UUID) async throws -> StoredRequest? { try await load([id])[id]?.get() }
}
