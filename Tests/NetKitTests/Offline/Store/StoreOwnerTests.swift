import Dispatch
import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests that a store has one queue at a time, even if two are given the same object.
struct StoreOwnerTests {
    enum Kind: CaseIterable, Sendable {
        case folder
        case memory
        case replica

        func store(in folder: TemporaryFolder) -> any OfflineStore {
            switch self {
            case .folder: JSONOfflineStore(directory: folder.file("queue"))
            case .memory: InMemoryOfflineStore()
            case .replica: InMemorySharedOfflineStore().replica()
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func aSecondQueueIsRefusedAndTheFirstContinues(kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let (store, sender) = (kind.store(in: folder), ScriptedSender())
        let first = try await OfflineQueue.testing(sender, store: store)
        #expect(await thrownCode { try await OfflineQueue.testing(sender, store: store) } == .queueLocked)
        try await first.enqueue(.post("/1"))
        await first.processQueue()
        #expect(sender.paths == ["/1"])
        #expect(await first.storeProblem == nil)
        await first.close()
    }

    @Test(arguments: [Kind.folder, .memory])
    func aStoreCanBeOpenedAgainAfterItsQueueIsClosed(kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let store = kind.store(in: folder)
        let first = try await OfflineQueue.testing(nil, store: store)
        try await first.enqueue(.post("/1"))
        await first.close()
        let sender = ScriptedSender()
        let second = try await OfflineQueue.testing(sender, store: store)
        try await second.enqueue(.post("/2"))
        await second.processQueue()
        #expect(sender.paths == ["/1", "/2"])
        await second.close()
    }

    /// The process of a replica ends with its queue.
    @Test func aReplicaIsClosedForGood() async throws {
        let replica = InMemorySharedOfflineStore().replica()
        let first = try await OfflineQueue.testing(nil, store: replica)
        await first.close()
        #expect(await thrownCode { try await OfflineQueue.testing(nil, store: replica) } == .queueLocked)
        #expect(await thrownCode { try await replica.append(.post("/1")) } == .closed)
        #expect(await thrownCode { try await replica.lines(of: nil, depth: 1) } == .closed)
    }

    @Test func aRefusedStoreCanBeOpenedOnceTheFolderIsFree() async throws {
        let folder = try TemporaryFolder()
        let owner = try await OfflineQueue.testing(nil, store: Kind.folder.store(in: folder))
        try await owner.enqueue(.post("/1"))
        let store = Kind.folder.store(in: folder)
        #expect(await thrownCode { try await OfflineQueue.testing(nil, store: store) } == .queueLocked)
        await owner.close()
        let queue = try await OfflineQueue.testing(nil, store: store)
        #expect(await queue.pendingCount == 1)
        await queue.close()
    }

    enum Change: CaseIterable, Sendable {
        case append
        case commit
        case release
        case revive
        case remove

        func apply(to store: JSONOfflineStore, _ entry: OfflineEntry) async throws {
            switch self {
            case .append: try await store.append(.post("/2"))
            case .commit: try await store.commit(entry.id, sentAs: nil)
            case .release:
                var dead = OfflineUpdate(entry)
                dead.state = .deadLetter
                _ = try await store.release(entry.id, dead)
            case .revive: _ = try await store.revive([entry.id])
            case .remove: _ = try await store.remove([entry.id])
            }
        }
    }

    /// It has left the actor of its queue, and waits for a thread.
    @Test(arguments: Change.allCases)
    func aChangeThatHasNotBegunEndsBeforeTheNextQueueHasTheStore(change: Change) async throws {
        let (folder, executor) = (try TemporaryFolder(), HeldExecutor())
        let store = JSONOfflineStore(directory: folder.file("queue"))
        try await store.open(clock: .system) { _ in }
        try await store.append(.post("/1"))
        let first = try #require(await store.entries().first)
        if change == .revive { try await Change.release.apply(to: store, first) }
        let entry = try #require(await store.entries().first)
        let changing = Task(executorPreference: executor) {
            await Self.applyOnActor(change, to: store, entry, holding: executor)
        }
        try await executor.arrival.value()
        await store.close()
        let opening = startImmediately { try await store.open(clock: .system) { _ in } }
        executor.release()
        #expect(await changing.value == .closed)
        try await opening.value
        #expect(try await store.entries().map(\.state) == [entry.state])
        await store.close()
    }

    /// The removal of the file of the entry that was delivered waits for a thread.
    @Test func anEntryWithTheIdentifierOfADeliveredOneKeepsItsFile() async throws {
        let (folder, disk, executor) = (try TemporaryFolder(), FaultyDisk(), HeldExecutor())
        let store = JSONOfflineStore(directory: folder.file("queue"), fileSystem: disk)
        let (id, body) = (UUID(), Data(repeating: 7, count: 100_000))
        func request(_ body: Data) -> QueuedRequest { QueuedRequest(HTTPRequest(.put, "/", body: .data(body)), id: id) }
        try await store.append(request(Data(count: 100_000)))
        let (began, goOn) = Self.holdSync(of: disk)
        let committing = Task(executorPreference: executor) { try await store.commit(id, sentAs: nil) }
        try await began.value()
        executor.hold()
        goOn.signal()
        try await executor.arrival.value()
        try await store.append(request(body))
        executor.release()
        try await committing.value
        #expect(try await store.stored(id)?.request.body?.collected() == body)
        await store.close()
    }

    @MainActor private static func applyOnActor(
        _ change: Change,
        to store: JSONOfflineStore,
        _ entry: OfflineEntry,
        holding executor: HeldExecutor
    ) async -> NetKitError.Code? {
        executor.hold()
        return await thrownCode { try await change.apply(to: store, entry) }
    }

    /// The file of its body is read after the call has left the actor of its queue.
    @Test func anAdditionInMemoryIsListedByTheNextQueue() async throws {
        let (folder, executor, store) = (try TemporaryFolder(), HeldExecutor(), InMemoryOfflineStore())
        let file = folder.file("body")
        try Data("1".utf8).write(to: file)
        try await store.open(clock: .system) { _ in }
        let request = QueuedRequest(HTTPRequest(.put, "/", body: .file(at: file)))
        let adding = Task(executorPreference: executor) {
            try await Self.appendOnActor(request, to: store, holding: executor)
        }
        try await executor.arrival.value()
        await store.close()
        let opening = startImmediately {
            try await store.open(clock: .system) { _ in }
            return try await store.entries().map(\.id)
        }
        executor.release()
        try await adding.value
        #expect(try await opening.value == [request.id])
        await store.close()
    }

    @MainActor private static func appendOnActor(
        _ request: QueuedRequest,
        to store: InMemoryOfflineStore,
        holding executor: HeldExecutor
    ) async throws {
        executor.hold()
        try await store.append(request)
    }

    /// An executor that can keep its jobs until it is released.
    private final class HeldExecutor: TaskExecutor {
        /// Ends with the first job that is kept.
        let arrival = Promise<Void>()
        private let held = Locked<[UnownedJob]?>(nil)

        func hold() { held.withLock { $0 = [] } }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            let isHeld = held.withLock { held in
                held?.append(job)
                return held != nil
            }
            if isHeld { arrival.resolve(.success(())) } else { run(job) }
        }

        func release() {
            for job in held.withLock({ exchange(&$0, with: nil) }) ?? [] { run(job) }
        }

        private func run(_ job: UnownedJob) {
            DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    /// Makes the next sync of a disk wait.
    ///
    /// - Returns: A promise that ends when it has begun, and a semaphore with which it goes on.
    private static func holdSync(of disk: FaultyDisk) -> (began: Promise<Void>, goOn: DispatchSemaphore) {
        let (began, goOn) = (Promise<Void>(), DispatchSemaphore(value: 0))
        disk.beforeSync {
            began.resolve(.success(()))
            goOn.wait()
        }
        return (began, goOn)
    }

    /// Its body takes long, and another addition waits for it.
    @Test func anAdditionEndsBeforeTheNextQueueHasTheStore() async throws {
        let (folder, disk) = (try TemporaryFolder(), FaultyDisk())
        let store = JSONOfflineStore(directory: folder.file("queue"), fileSystem: disk)
        try await store.open(clock: .system) { _ in }
        let (began, goOn) = Self.holdSync(of: disk)
        func addition(of size: Int) -> OfflineAddition {
            let request = HTTPRequest(.put, "/", body: .data(Data(count: size)))
            return OfflineAddition(
                request: QueuedRequest(request, coalescingKey: "k", coalescing: .replace),
                byteCount: size
            )
        }
        let (first, second) = (addition(of: 100_000), addition(of: 2))
        let adding = Task { await thrownCode { try await store.append(first, within: OfflineBounds()) } }
        try await began.value()
        let shared = store.bodies.shared
        let writes = try #require(
            try shared.index.withLock { index in try index.admitOrWait(second, within: OfflineBounds()).writes }
        )
        await store.close()
        let opening = startImmediately { try await store.open(clock: .system) { _ in } }
        goOn.signal()
        #expect(await adding.value == .closed)
        let isWaiting = writes.resolve(.success(()))
        #expect(!isWaiting)
        try await opening.value
        #expect(try await store.entries().isEmpty)
        await store.close()
    }

    /// The opening waits for an addition whose body takes long.
    @Test func aStoreThatIsClosedWhileItsOpeningWaitsCanBeClosedLater() async throws {
        let (folder, disk) = (try TemporaryFolder(), FaultyDisk())
        let store = JSONOfflineStore(directory: folder.file("queue"), fileSystem: disk)
        try await store.open(clock: .system) { _ in }
        let (began, goOn) = Self.holdSync(of: disk)
        let request = QueuedRequest(HTTPRequest(.put, "/", body: .data(Data(count: 100_000))))
        let adding = Task { await thrownCode { try await store.append(request) } }
        try await began.value()
        await store.close()
        let opening = startImmediately { try await store.open(clock: .system) { _ in } }
        await store.close()
        goOn.signal()
        #expect(await adding.value == .closed)
        try await opening.value
        #expect(await thrownCode { try await store.open(clock: .system) { _ in } } == .queueLocked)
        await store.close()
        let other = JSONOfflineStore(directory: folder.file("queue"))
        try await other.open(clock: .system) { _ in }
        await other.close()
    }
}
