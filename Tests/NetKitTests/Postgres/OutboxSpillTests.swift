import Dispatch
import Foundation
import NetKitTesting
import Testing

@testable import NetKit
@testable import NetKitPostgres

/// Tests of the spill folder of an outbox, with a simulated database.
@Suite(.timeLimit(.minutes(5)))
struct OutboxSpillTests {
    /// A database that is away, refuses some requests, or takes entries.
    private actor Database {
        private(set) var taken: [QueuedRequest] = []
        private(set) var batches: [[String]] = []
        private var isAway = true
        private var refused: Set<String> = []
        private var refusal: any Error = NetKitError(.queueFull, "The queue is full.")
        private var waits: [(count: Int, end: Promise<Void>)] = []

        func set(isAway: Bool) { self.isAway = isAway }

        func set(refused: Set<String>, with error: (any Error)? = nil) {
            self.refused = refused
            if let error { refusal = error }
        }

        var targets: [String] { taken.map(\.endpoint) }

        func move(_ additions: [OfflineAddition]) throws -> [UUID: Result<OfflineAppendResult, any Error>] {
            guard !isAway else { throw NetKitError(.storeUnavailable, "The database is away.") }
            batches.append(additions.map(\.request.endpoint))
            var results: [UUID: Result<OfflineAppendResult, any Error>] = [:]
            var held: Set<String> = []
            for addition in additions where !held.contains(addition.request.lane) {
                let request = addition.request
                guard !refused.contains(request.endpoint) else {
                    results[request.id] = .failure(refusal)
                    held.insert(request.lane)
                    continue
                }
                if !taken.contains(where: { $0.id == request.id }) { taken.append(request) }
                let entry = OfflineEntry(request, position: Int64(taken.count), byteCount: addition.byteCount)
                results[request.id] = .success(.added(entry, replaced: [], dropped: []))
            }
            for wait in waits where wait.count <= taken.count { wait.end.resolve(.success(())) }
            return results
        }

        func wait(for count: Int) async throws {
            guard taken.count < count else { return }
            let end = Promise<Void>()
            waits.append((count, end))
            try await end.value()
        }
    }

    private let folder: TemporaryFolder
    private let database = Database()
    private let notices = Notebook<OfflineNotice>()

    init() throws {
        folder = try TemporaryFolder()
    }

    private func open(
        _ disk: FaultyDisk = FaultyDisk(),
        seal: RecordSeal? = nil,
        clock: NetKitClock = .system
    ) async throws -> OutboxSpill {
        let spill = OutboxSpill(
            journal: JSONOfflineStore(directory: folder.url, seal: seal, fileSystem: disk, settings: JournalSettings()),
            queue: "orders",
            estimate: OutboxEstimate(),
            clock: clock
        ) { [notices] in
            notices.add($0)
        }
        try await spill.open()
        return spill
    }

    private func start(_ spill: OutboxSpill) {
        spill.start { [database] additions, _ in try await database.move(additions) }
    }

    @discardableResult
    private func add(
        _ target: String,
        lane: String = "a",
        key: String? = nil,
        id: UUID = UUID(),
        to spill: OutboxSpill,
        within bounds: OfflineBounds = OfflineBounds()
    ) async throws -> OfflineAppendResult {
        let body = Data("secret".utf8)
        let request = QueuedRequest(
            HTTPRequest(.post, RequestPath(raw: target), body: .data(body)),
            id: id,
            lane: lane,
            coalescingKey: key
        )
        let addition = OfflineAddition(request: request, byteCount: 100)
        return try await spill.append(addition, body: body, within: bounds, isAway: false) { [database] _ in
            guard let result = try await database.move([addition])[request.id] else { throw CancellationError() }
            return try result.get()
        }
    }

    /// The only entry is still being written when the mover looks.
    @Test func theMoverRestsWhileAnEntryIsWritten() async throws {
        let (disk, goOn) = (FaultyDisk(), DispatchSemaphore(value: 0))
        let spill = try await open(disk)
        disk.beforeSync { goOn.wait() }
        async let added = add("/1", to: spill)
        try await waitUntil { !spill.isEmpty }
        start(spill)
        let isResting = { spill.state.withLock { $0.sleep?.isIdle ?? false } }
        try await waitUntil(isResting)
        goOn.signal()
        _ = try await added
        await database.set(isAway: false)
        spill.wake()
        try await database.wait(for: 1)
        await spill.close(within: .seconds(5))
    }

    /// Another owner has removed the entries of the folder, and added others.
    @Test func aReplacedFolderIsCountedAgain() async throws {
        let spill = try await open()
        try await add("/1", lane: "a", to: spill)
        try FileManager.default.removeItem(at: folder.url.appending(path: "lock"))
        let other = JSONOfflineStore(directory: folder.url)
        try await other.open(clock: .system) { _ in }
        for entry in try await other.entries() { try await other.commit(entry.id, sentAs: nil) }
        try await other.append(.post("/other", lane: "c"))
        await other.close()
        try await add("/2", lane: "b", to: spill)
        start(spill)
        await database.set(isAway: false)
        spill.wake()
        try await database.wait(for: 2)
        try await waitUntil { spill.isEmpty }
        #expect(await Set(database.targets) == ["/other", "/2"])
        await spill.close(within: .seconds(5))
    }

    @Test func keepsTheOrderOfALane() async throws {
        let spill = try await open()
        for number in 0..<300 {
            let key = number.isMultiple(of: 50) ? "key\(number)" : nil
            try await add("/\(number)", lane: "lane\(number % 3)", key: key, to: spill)
        }
        #expect(try await spill.tally().pendingCount == 300)
        start(spill)
        await database.set(isAway: false)
        // They go into the folder or the database, and never overtake.
        for number in 300..<330 { try await add("/\(number)", lane: "lane\(number % 3)", to: spill) }
        try await database.wait(for: 330)
        await spill.close(within: .seconds(5))
        let taken = await database.taken
        #expect(taken.count == 330)
        for lane in 0..<3 {
            let numbers = taken.filter { $0.lane == "lane\(lane)" }.map(\.endpoint)
            #expect(numbers == stride(from: lane, to: 330, by: 3).map { "/\($0)" })
        }
        #expect(await database.batches.contains { $0.count > 10 })
    }

    @Test func aFullDiskFailsTheAdditionAndNothingElse() async throws {
        let disk = FaultyDisk()
        let spill = try await open(disk)
        try await add("/0", to: spill)
        disk.fail(1, with: .noSpace, stays: true)
        let error = await #expect(throws: NetKitError.self) { try await add("/1", to: spill) }
        #expect(error?.code == .file)
        #expect(error?.outcome == .notSent)
        disk.mend()
        try await add("/2", to: spill)
        start(spill)
        await database.set(isAway: false)
        try await database.wait(for: 2)
        await spill.close(within: .seconds(5))
        #expect(await database.targets == ["/0", "/2"])
    }

    @Test func movesAnEntryOnceThoughTheDiskIsFull() async throws {
        let (disk, clock) = (FaultyDisk(), TestClock())
        let spill = try await open(disk, clock: clock.clock)
        for number in 0..<3 { try await add("/\(number)", to: spill) }
        await database.set(isAway: false)
        // The entries cannot leave the folder.
        disk.fail(1, with: .noSpace, stays: true)
        start(spill)
        try await database.wait(for: 3)
        for _ in 0..<3 {
            await clock.waitForAlarms(1)
            clock.advance(by: .seconds(10))
        }
        await clock.waitForAlarms(1)
        #expect(await database.batches == [["/0", "/1", "/2"]])
        #expect(!spill.isEmpty)
        disk.mend()
        clock.advance(by: .seconds(10))
        try await waitUntil { spill.isEmpty }
        await spill.close(within: .seconds(5))
        #expect(await database.batches == [["/0", "/1", "/2"]])
    }

    /// The addition is repeated after the entry was moved, and before it can leave the folder.
    @Test func theDatabaseRecognizesAMovedEntryThatIsStillInTheFolder() async throws {
        let (disk, clock, id) = (FaultyDisk(), TestClock(), UUID())
        let spill = try await open(disk, clock: clock.clock)
        try await add("/0", id: id, to: spill)
        await database.set(isAway: false)
        disk.fail(1, with: .noSpace, stays: true)
        start(spill)
        try await database.wait(for: 1)
        await clock.waitForAlarms(1)
        let appended = try await add("/0", id: id, to: spill)
        guard case .added(let entry, _, _) = appended else { throw CancellationError() }
        #expect(entry.id == id)
        #expect(entry.position == 1)
        // While the database is away, nothing can recognize it.
        await database.set(isAway: true)
        let error = await #expect(throws: NetKitError.self) { try await add("/0", id: id, to: spill) }
        #expect(error?.code == .storeUnavailable)
        await database.set(isAway: false)
        disk.mend()
        clock.advance(by: .seconds(10))
        try await waitUntil { spill.isEmpty }
        await spill.close(within: .seconds(5))
        #expect(await database.targets == ["/0"])
    }

    @Test func continuesAfterARestart() async throws {
        let first = try await open()
        for number in 0..<10 { try await add("/\(number)", to: first) }
        await first.close(within: .seconds(1))
        let second = try await open()
        await database.set(isAway: false)
        // The database is there, but earlier entries of the lane are not.
        try await add("/10", to: second)
        #expect(await database.taken.isEmpty)
        try await add("/other", lane: "b", to: second)
        #expect(await database.targets == ["/other"])
        start(second)
        try await database.wait(for: 12)
        try await waitUntil { second.isEmpty }
        await second.close(within: .seconds(5))
        #expect(await database.targets == ["/other"] + (0...10).map { "/\($0)" })
        let third = try await open()
        #expect(third.isEmpty)
        await third.close(within: .seconds(1))
    }

    @Test func holdsOnlyTheLaneOfARefusedEntry() async throws {
        let spill = try await open()
        for target in ["/a/0", "/a/1", "/b/0"] {
            try await add(target, lane: String(target.dropFirst().prefix(1)), to: spill)
        }
        await database.set(refused: ["/a/0"])
        await database.set(isAway: false)
        start(spill)
        try await database.wait(for: 1)
        #expect(await database.targets == ["/b/0"])
        let entries = try await spill.entries(OfflineFilter(lanes: ["a"]))
        let refused = try #require(entries.first)
        try await waitUntil { spill.problem(of: refused.id) != nil }
        #expect(spill.problem(of: refused.id)?.code == .queueFull)
        let ids = try await spill.claim([refused.id])
        #expect(try await spill.remove(ids).map(\.id) == [refused.id])
        spill.unclaim([refused.id])
        try await database.wait(for: 2)
        await spill.close(within: .seconds(5))
        #expect(await database.targets == ["/b/0", "/a/1"])
        let problems = notices.entries.filter { if case .problem(_?) = $0 { true } else { false } }
        #expect(problems.count == 1)
    }

    /// What a seal throws is no error of the library.
    @Test func holdsOnlyTheLaneOfAnEntryThatCannotBeSealed() async throws {
        struct MissingKey: Error {}
        let spill = try await open(clock: TestClock().clock)
        try await add("/a/0", lane: "a", to: spill)
        for number in 0..<300 { try await add("/b/\(number)", lane: "b", to: spill) }
        await database.set(refused: ["/a/0"], with: MissingKey())
        await database.set(isAway: false)
        start(spill)
        #expect(try await holdsSoon { await database.taken.count == 300 })
        let refused = try #require(try await spill.entries(OfflineFilter(lanes: ["a"])).first)
        #expect(try await holdsSoon { spill.problem(of: refused.id) != nil })
        #expect(spill.problem(of: refused.id)?.code == .encoding)
        await spill.close(within: .seconds(5))
        let problems = notices.entries.filter { if case .problem(_?) = $0 { true } else { false } }
        #expect(problems.count == 1)
    }

    @Test func countsTheEntriesInTheFolder() async throws {
        let spill = try await open()
        let bounds = OfflineBounds(maxEntries: 2)
        try await add("/0", to: spill, within: bounds)
        try await add("/1", to: spill, within: bounds)
        let error = await #expect(throws: NetKitError.self) { try await add("/2", to: spill, within: bounds) }
        #expect(error?.code == .queueFull)
        #expect(try await spill.tally().count == 2)
        await spill.close(within: .seconds(1))
    }

    @Test func hasOneOwner() async throws {
        let spill = try await open()
        let error = await #expect(throws: NetKitError.self) { _ = try await open() }
        #expect(error?.code == .queueLocked)
        await spill.close(within: .seconds(1))
    }

    @Test func refusesAFolderThatCannotBeUsed() async throws {
        let file = try folder.write(Data("text".utf8), to: "file")
        let journal = JSONOfflineStore(directory: file)
        let spill = OutboxSpill(journal: journal, queue: "orders", estimate: OutboxEstimate(), clock: .system) {
            _ in
        }
        let error = await #expect(throws: NetKitError.self) { try await spill.open() }
        #expect(error?.code == .file)
    }

    /// Its entries may be those of another queue.
    @Test func refusesAFolderWhoseQueueIsUnknown() async throws {
        let owner = try folder.write(Data([0x6F, 0xFF]), to: "outbox.txt")
        let foreign = await #expect(throws: NetKitError.self) { _ = try await open() }
        #expect(foreign?.code == .invalidConfiguration)
        #expect(try Data(contentsOf: owner) == Data([0x6F, 0xFF]))
        try FileManager.default.removeItem(at: owner)
        try FileManager.default.createDirectory(at: owner, withIntermediateDirectories: false)
        let unreadable = await #expect(throws: NetKitError.self) { _ = try await open() }
        #expect(unreadable?.code == .file)
        #expect(unreadable?.message.contains("the name of its queue cannot be read") == true)
    }

    /// They would be sent again.
    @Test(arguments: [OfflineEntry.State.deadLetter, .conflict])
    func refusesAFolderWithEntriesThatDoNotWait(_ state: OfflineEntry.State) async throws {
        let journal = JSONOfflineStore(directory: folder.url)
        try await journal.open(clock: .system) { _ in }
        let addition = OfflineAddition(request: QueuedRequest(.post("/a")), byteCount: 100)
        guard case .added(let entry, _, _) = try await journal.append(addition, within: OfflineBounds()) else {
            Issue.record("nothing was added")
            return
        }
        var update = OfflineUpdate(entry)
        update.state = state
        #expect(try await journal.release(entry.id, update))
        await journal.close(within: .seconds(1))
        let error = await #expect(throws: NetKitError.self) { _ = try await open() }
        #expect(error?.code == .invalidConfiguration)
        // The folder still belongs to no queue.
        #expect(try !folder.names.contains("outbox.txt"))
    }

    @Test func sealsTheEntriesInTheFolder() async throws {
        let seal = RecordSeal(seal: { Data($0.map { $0 ^ 0x55 }) }, open: { Data($0.map { $0 ^ 0x55 }) })
        let spill = try await open(seal: seal)
        try await add("/secret", to: spill)
        await spill.close(within: .seconds(1))
        var byteCount = 0
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            guard let data = try? Data(contentsOf: folder.file(name)) else { continue }
            byteCount += data.count
            #expect(data.firstRange(of: Data("secret".utf8)) == nil, "\(name)")
        }
        #expect(byteCount > 0)
    }
}
