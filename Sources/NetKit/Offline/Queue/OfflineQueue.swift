public import Foundation

/// A queue that keeps requests until they are delivered, across outages, `kill -9` and power cuts.
///
/// ```swift
/// let queue = try await OfflineQueue(directory: folder, sender: client, monitor: monitor)
/// let receipt = try await queue.enqueue(QueuedRequest(.post("/orders", json: order), lane: "orders"))
/// for await event in queue.events { print(event) }
/// ```
/// `enqueue` returns after the entry is safe. Each entry is sent at least once, always with the same `Idempotency-Key`,
/// and in order within its lane. Entries that cannot be delivered are kept as dead letters or conflicts, and nothing is
/// dropped without an event. The queue sends by itself: when the monitor reports a network, when an entry is added
/// while there is one, and when a postponed entry is due.
public actor OfflineQueue {
    /// The configuration of the queue.
    public nonisolated let configuration: Configuration

    nonisolated let store: any OfflineStore
    nonisolated let broadcast: Broadcast<OfflineEvent>
    /// The steps of the queue, after each of which its report may have changed.
    ///
    /// The values mean nothing; a broadcast of `Bool` needs no code of its own.
    nonisolated let steps = Broadcast<Bool>(maxEvents: 1)
    nonisolated let sender: Locked<(any RequestSending)?>
    let monitor: (any NetworkMonitor)?

    var scheduler: LaneScheduler
    var work = EntryWork()
    var history = EntryHistory()
    /// The error of the latest attempt; `nil` if it succeeded.
    var lastError: (any Error)?
    var network = QueueNetwork()
    var storeState: StoreState
    var pauses = PauseState()
    /// The time of the next removal of old dead letters.
    var nextTrimming: NetKitClock.Instant?
    /// Whether there may be more dead letters than at the last count.
    var hasNewDeadLetters = true

    var alarm: ClockAlarm?
    var watches: [Task<Void, any Error>] = []
    /// The signal that wakes the queue's task, which begins with the queue so that it stays inside a simulation.
    let wakes: AsyncStream<Void>.Continuation
    /// The calls that wait until due entries were tried.
    var waiters: [Waiter] = []
    var ending: Task<Bool, any Error>?
    var isClosed: Bool { ending != nil }
    /// The number of entries that expire at the same time; their writes share syncs.
    private static let maxExpiring = 256
    /// The usual time limit for closing a store.
    static let closingTime = Duration.seconds(5)

    /// Opens a queue in a folder.
    ///
    /// - Parameters:
    ///   - directory: The folder, which belongs to this queue alone.
    ///   - sender: The sender of the requests; `nil` if `attach` sets it later.
    ///   - monitor: The monitor of the network.
    ///   - seal: The encryption of stored requests and responses.
    ///   - configuration: The bounds and policies.
    /// - Throws: `.queueLocked` if the folder is already open, `.unsupported` if it is on a network file system,
    ///   `.invalidConfiguration` if `timeout`, `unauthorizedPause` or `refreshInterval` is zero or less, or if the
    ///   queue would refuse every entry because of `deadLetters`. A disk that refuses access is not an error here:
    ///   `storeProblem` and `enqueue` report it, and the queue continues when the cause is gone.
    public init(
        directory: URL,
        sender: (any RequestSending)? = nil,
        monitor: some NetworkMonitor,
        seal: RecordSeal? = nil,
        configuration: Configuration = Configuration()
    ) async throws {
        let store = JSONOfflineStore(directory: directory, seal: seal)
        try await self.init(store: store, sender: sender, monitor: monitor, configuration: configuration)
    }

    /// Opens a queue in a folder, without a monitor: the queue assumes that there is a network, and learns from
    /// failures.
    ///
    /// - Parameters:
    ///   - directory: The folder, which belongs to this queue alone.
    ///   - sender: The sender of the requests; `nil` if `attach` sets it later.
    ///   - seal: The encryption of stored requests and responses.
    ///   - configuration: The bounds and policies.
    /// - Throws: The same errors as the initializer with a monitor.
    public init(
        directory: URL,
        sender: (any RequestSending)? = nil,
        seal: RecordSeal? = nil,
        configuration: Configuration = Configuration()
    ) async throws {
        let store = JSONOfflineStore(directory: directory, seal: seal)
        try await self.init(store: store, sender: sender, monitor: nil, configuration: configuration)
    }

    /// Opens a queue over a custom store.
    ///
    /// - Parameters:
    ///   - store: The store of the entries.
    ///   - sender: The sender of the requests; `nil` if `attach` sets it later.
    ///   - monitor: The monitor of the network; without one, the queue assumes that there is a network.
    ///   - configuration: The bounds and policies.
    /// - Throws: The errors of opening the store, and `.invalidConfiguration` if `timeout`, `unauthorizedPause` or
    ///   `refreshInterval` is zero or less, or if the queue would refuse every entry because of `deadLetters`.
    public init(
        store: any OfflineStore,
        sender: (any RequestSending)? = nil,
        monitor: (any NetworkMonitor)? = nil,
        configuration: Configuration = Configuration()
    ) async throws {
        if let problem = configuration.problem { throw NetKitError(.invalidConfiguration, problem) }
        self.store = store
        self.sender = Locked(sender)
        self.monitor = monitor
        self.configuration = configuration
        broadcast = Broadcast(maxEvents: configuration.maxBufferedEvents)
        scheduler = LaneScheduler(options: configuration.lanes)
        storeState = StoreState(isShared: store.isShared, interval: configuration.refreshInterval)
        let (wakeStream, wakes) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let (noticeStream, notices) = AsyncStream.makeStream(of: OfflineNotice.self)
        self.wakes = wakes
        do {
            try await store.open(clock: configuration.clock) { notices.yield($0) }
        } catch let error as NetKitError where error.code == .queueLocked {
            // The store may be that of another queue.
            throw error
        } catch {
            await store.close()
            throw error
        }
        await list(nil, hasRemoteChanges: true)
        await beginWatching(wakeStream, noticeStream)
        if configuration.deadLetters.maxAge != nil { nextTrimming = configuration.clock.now }
        beginDueEntries()
        wakes.yield()
    }

    deinit {
        for watch in watches { watch.cancel() }
        alarm?.cancel()
    }

    /// Sets the sender of the requests, if it was not known when the queue was created.
    ///
    /// The queue retains the sender until `close`, including a client whose list holds an `OfflineInterceptor` of this
    /// queue.
    public func attach(_ sender: any RequestSending) {
        guard !isClosed else { return }
        self.sender.withLock { $0 = sender }
        beginDueEntries()
    }

    // MARK: Draining

    /// Begins every entry that may begin, and sets the alarm for the next one.
    func beginDueEntries() {
        if !isClosed { beginEntries() }
        resolveWaiters()
        steps.note(true)
        steps.publish()
    }

    private func beginEntries() {
        compareIdentities()
        while true {
            let mayExpire = work.expiringCount < Self.maxExpiring
            switch scheduler.next(now: configuration.clock.now, isSending: mayBeginAttempt, isExpiring: mayExpire) {
            case .send(let id) where work.isBeingRemoved(id), .expire(let id) where work.isBeingRemoved(id):
                scheduler.set(id, isBusy: true)
            case .send(let id):
                guard let shard = scheduler[id]?.entry.shard, store.owns(shard) else {
                    // A notice of the store decides about the shard.
                    scheduler.close([scheduler[id]?.entry.shard ?? 0])
                    continue
                }
                begin(id, as: .sending) { queue in await queue.send(id) }
            case .expire(let id):
                begin(id, as: .expiring) { queue in await queue.expire(id) }
            case .wait(let time):
                for lane in scheduler.takeEndedPauses() { pauses.forgetRefusal(in: lane) }
                noteStaleShards()
                return setAlarm(time)
            }
        }
    }

    /// Begins the work on an entry in a task that `close` waits for; the entry is busy until the task ends.
    ///
    /// The caller may be the attempt of another entry, so the task inherits nothing from it. The loss of the entry's
    /// shard ends the task, unless a person has decided about the entry. Not inlined, because the start of a task is
    /// long, and would be repeated for each purpose.
    @inline(never)
    func begin(
        _ id: UUID,
        as purpose: EntryWork.Purpose,
        _ body: @escaping @Sendable (isolated OfflineQueue) async -> Void
    ) {
        scheduler.set(id, isBusy: true)
        let task = startDetached { [self] in await perform(id, body) }
        work.begin(id, as: purpose, task)
    }

    /// Performs the work on an entry, which is free again in the step in which the work ends.
    ///
    /// A listener of its last event can therefore change it.
    private func perform(_ id: UUID, _ body: @Sendable (isolated OfflineQueue) async -> Void) async {
        await Self.$handledEntry.withValue(id) { await body(self) }
        work.end(id)
        makeFree([id])
        work.resolveIfDrained()
    }

    /// Makes entries free after an attempt or another change, unless they are to be removed or were lost meanwhile.
    func makeFree(_ ids: Set<UUID>) {
        // In order, because removals begin here.
        for item in ids.compactMap({ scheduler[$0] }).orderedByNumber(\.entry.position) where item.isBusy {
            let entry = item.entry
            switch work.followUp(of: entry.id) {
            case .removal:
                begin(entry.id, as: .deciding) { queue in await queue.removeBusy(entry, reason: nil) }
            case .loss:
                forget(entry.id)
                listAgain(entry.shard)
            case .nothing:
                scheduler.set(entry.id, isBusy: false)
            }
        }
        beginDueEntries()
    }

    private func setAlarm(_ time: NetKitClock.Instant?) {
        alarm?.cancel()
        alarm = nil
        let clock = configuration.clock
        var first = earlier(time, nextTrimming)
        if !scheduler.lanes.isEmpty { first = earlier(first, network.nextQuestion) }
        first = earlier(first, storeState.nextListing)
        // Nothing reports the next login.
        if scheduler.identities.hasHeld || !pauses.refusedLanes.isEmpty {
            first = earlier(first, clock.now.advanced(by: configuration.refreshInterval))
        }
        guard let first else { return }
        alarm = clock.scheduleWakeUp(at: first) { [wakes] in wakes.yield() }
    }

    private func beginWatching(_ wakeStream: AsyncStream<Void>, _ noticeStream: AsyncStream<OfflineNotice>) async {
        watches.append(
            startDetached { [weak self] in
                for await _ in wakeStream {
                    guard let self else { return }
                    await self.wake()
                }
            }
        )
        watches.append(
            startDetached { [weak self] in
                for await notice in noticeStream {
                    guard let self else { return }
                    await self.handle(notice)
                }
            }
        )
        await watchMonitor()
    }
}

extension OfflineQueue {
    /// A call that waits until the entries up to a position were tried.
    struct Waiter {
        let upTo: Int64
        /// The entry whose attempt makes the call, if one does.
        let entry: UUID?
        let promise = Promise<Void>()
    }

    /// The entry that the current task sends or decides about.
    @TaskLocal static var handledEntry: UUID?

    /// Sends every entry that is due now, and returns when each was tried or cannot be sent for now.
    ///
    /// Entries that are added meanwhile are sent as well, but not waited for. Concurrent calls send each entry only
    /// once. In a shared store, only the entries that this queue owns are sent. A call inside an attempt or a conflict
    /// resolver does not wait for the entry of that attempt, nor for others whose attempts wait in such a call.
    public func processQueue() async {
        guard !isClosed else { return }
        await askMonitor()
        let last = await tally.lastPosition
        storeState.lookAgain()
        await catchUp()
        guard !isClosed else { return }
        let entry = Self.handledEntry.flatMap { work.hasTask($0) ? $0 : nil }
        let waiter = Waiter(upTo: last, entry: entry)
        scheduler.endRefusals()
        waiters.append(waiter)
        beginDueEntries()
        try? await waiter.promise.cancellableValue()
    }

    /// Ends the calls for which nothing is left to wait for.
    func resolveWaiters() {
        let nested = Set(waiters.lazy.compactMap(\.entry))
        waiters.removeAll { waiter in
            // Attempts that wait for each other would never end.
            let others = waiter.entry == nil ? [] : nested
            let isOver =
                isClosed || !canProgress(without: others)
                || !storeState.isBehind && !scheduler.hasWork(upTo: waiter.upTo, without: others)
            if isOver { waiter.promise.resolve(.success(())) }
            return isOver
        }
    }

    /// Whether another attempt may begin.
    var mayBeginAttempt: Bool { isReadyToSend && work.sendingCount < max(1, configuration.parallelLanes) }

    /// Whether there is a network, a store that can be read, and a sender.
    private var isReadyToSend: Bool {
        network.isConnected && storeState.readProblem == nil && sender.withLock { $0 != nil }
    }

    /// Returns whether anything may change about entries that are due, without the attempts of some.
    private func canProgress(without others: Set<UUID>) -> Bool {
        work.canProgress(without: others) ?? (others.isEmpty ? isReadyToSend : mayBeginAttempt)
    }
}
