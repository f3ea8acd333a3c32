import Foundation
public import NetKit

/// Puts a store of offline queues through every promise that `OfflineStore` makes.
///
/// ```swift
/// let conformance = OfflineStoreConformance(isShared: true, isLasting: true) {
///     let name = UUID().uuidString
///     return { try await MyStore(table: name) }
/// }
///
/// @Test(arguments: OfflineStoreConformance.cases)
/// func keepsItsPromise(_ conformanceCase: OfflineStoreConformance.Case) async {
///     let result = await conformance.run(conformanceCase)
///     #expect(result.isKept, "\(result)")
/// }
/// ```
/// Each case begins with an empty place of its own. A case that does not apply to the store is skipped, with its reason.
public struct OfflineStoreConformance: Sendable {
    /// A case about a store of offline queues.
    public typealias Case = StoreConformanceCase<OfflineStoreTrial>
    /// A closure that makes one more store over the same place.
    public typealias Opener = @Sendable () async throws -> any OfflineStore

    /// Every case.
    public static let cases: [Case] =
        Case.appendCases + Case.coalescingCases + Case.boundCases + Case.releaseCases + Case.removalCases
        + Case.readingCases + Case.lastingCases + Case.sharingCases

    private let isShared: Bool
    private let isLasting: Bool
    private let makePlace: @Sendable () async throws -> Opener

    /// Describes the store.
    ///
    /// - Parameters:
    ///   - isShared: Whether several stores are over one place at once.
    ///   - isLasting: Whether a store that is opened after another one was closed finds its entries.
    ///   - makePlace: A closure that makes an empty place, such as a folder or a table, and returns what makes stores over it.
    public init(isShared: Bool, isLasting: Bool, makePlace: @escaping @Sendable () async throws -> Opener) {
        self.isShared = isShared
        self.isLasting = isLasting
        self.makePlace = makePlace
    }

    /// Tries one case; it ends, whatever the store does.
    public func run(_ conformanceCase: Case) async -> StoreConformanceResult {
        await run(conformanceCase, within: conformanceCase.timeLimit)
    }

    /// Tries one case with a time limit of its own, for tests of the cases themselves.
    package func run(_ conformanceCase: Case, within limit: Duration) async -> StoreConformanceResult {
        await conformanceCase.result(within: limit) {
            OfflineStoreTrial(makeStore: try await makePlace(), isShared: isShared, isLasting: isLasting)
        }
    }
}

/// An empty place for entries, and what a case does with it.
public struct OfflineStoreTrial: Sendable {
    let makeStore: OfflineStoreConformance.Opener
    let isShared: Bool
    let isLasting: Bool

    /// A store over the place that is open, and what it tells.
    func open() async throws -> (store: any OfflineStore, notices: NoticeBook) {
        let (store, notices) = (try await makeStore(), NoticeBook())
        try await store.open(clock: .system) { notices.add($0) }
        return (store, notices)
    }

    /// A store over the place that is open.
    func store() async throws -> any OfflineStore { try await open().store }

    /// Two stores over the place, each with some of the shards.
    func pair() async throws -> (first: any OfflineStore, second: any OfflineStore, lanes: [String]) {
        guard isShared else { throw ConformanceFailure.notPossible("the store has one queue") }
        let (first, second) = (try await store(), try await store())
        // Lanes of many shards, so that each has some.
        let lanes = (0..<200).map { "lane-\($0)" }
        for lane in lanes { try await first.add(.sample("/\(lane)", lane: lane)) }
        try await wait(for: "both own shards") {
            let (one, two) = (try await first.lanes(), try await second.lanes())
            // The first gives up what is too much.
            if two.isEmpty { await first.letGo(try await first.surplus(of: lanes.count)) }
            return !one.isEmpty && !two.isEmpty && one.isDisjoint(with: two) && one.count + two.count == lanes.count
        }
        return (first, second, lanes)
    }

    /// Waits until something holds.
    func wait(for expected: String, until holds: () async throws -> Bool) async throws {
        for _ in 0..<600 {
            if try await holds() { return }
            try await NetKitClock.system.sleep(for: .milliseconds(10))
        }
        throw ConformanceFailure.broken(expected: expected, seen: "nothing of the kind within 6 s")
    }
}

/// The notices of a store.
final class NoticeBook: Sendable {
    private let notices = Locked<[OfflineNotice]>([])

    func add(_ notice: OfflineNotice) {
        notices.withLock { $0.append(notice) }
    }

    /// Returns whether the store has told of work in a shard.
    func hasWork(in shard: Int) -> Bool {
        notices.withLock { notices in
            notices.contains { if case .work(let shards) = $0 { shards.contains(shard) } else { false } }
        }
    }
}

extension QueuedRequest {
    /// A small request for a case.
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
    /// Adds a request, which has to be added.
    @discardableResult
    func add(
        _ request: QueuedRequest,
        _ bounds: OfflineBounds = OfflineBounds(),
        byteCount: Int = 10
    ) async throws -> (entry: OfflineEntry, replaced: [UUID], dropped: [UUID]) {
        let addition = OfflineAddition(request: request, byteCount: byteCount, owner: request.identity)
        guard case .added(let entry, let replaced, let dropped) = try await append(addition, within: bounds) else {
            throw ConformanceFailure.broken(expected: "the entry is added", seen: "another one is kept")
        }
        return (entry, replaced.map(\.id), dropped.map(\.id))
    }

    /// The code of the error with which an addition is refused; `nil` if it is not.
    func refusal(of request: QueuedRequest, _ bounds: OfflineBounds = OfflineBounds()) async -> NetKitError.Code? {
        let addition = OfflineAddition(request: request, byteCount: 10, owner: request.identity)
        do {
            _ = try await append(addition, within: bounds)
            return nil
        } catch {
            return (error as? NetKitError)?.code ?? .custom
        }
    }

    /// The entries that wait, as they are listed.
    func waiting() async throws -> [OfflineLine] {
        try await lines(of: nil, depth: .max).lines.filter { $0.entry.state == .waiting }
    }

    /// The names of the entries that wait, as they are listed.
    func waitingIDs() async throws -> [UUID] { try await waiting().map(\.entry.id) }

    /// The lanes that are owned.
    func lanes() async throws -> Set<String> { Set(try await waiting().map(\.entry.lane)) }

    /// Half of the shards that are owned.
    func surplus(of count: Int) async throws -> Set<Int> {
        let shards = Set(try await waiting().map(\.entry.shard)).sorted()
        return Set(shards.prefix(shards.count / 2))
    }

    /// Makes a dead letter of an entry.
    func bury(_ entry: OfflineEntry, status: HTTPStatus = 422) async throws {
        var update = OfflineUpdate(entry)
        update.state = .deadLetter
        update.status = status
        let date = Date(timeIntervalSince1970: 1_800_000_000)
        update.detail = OfflineDetail(reason: .refused, message: "It was refused.", date: date)
        try expect("the entry can be released", try await release(entry.id, update), is: true)
    }

    /// What is stored of an entry.
    func stored(_ id: UUID) async throws -> StoredRequest? { try await load([id])[id]?.get() }
}
