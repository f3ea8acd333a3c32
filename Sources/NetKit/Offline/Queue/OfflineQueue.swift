public import Foundation

/// Keeps requests until they are delivered: over outages, `kill -9` and power cuts.
///
/// ```swift
/// let queue = try await OfflineQueue(directory: folder, sender: client, monitor: monitor)
/// let receipt = try await queue.enqueue(QueuedRequest(.post("/orders", json: order), lane: "orders"))
/// for await event in queue.events { print(event) }
/// ```
/// `enqueue` returns after the entry is safe. Each entry is sent at least once, always with the same `Idempotency-Key`,
/// and in order within its lane. Entries that cannot be delivered are kept as dead letters or conflicts, and nothing is
/// dropped without an event. The queue sends by itself: when the monitor reports a network, when an entry is added
/// while there is one, and when the time of a postponed entry comes.
public actor OfflineQueue {
    /// The configuration of the queue.
    public nonisolated let configuration: Configuration

    nonisolated let store: any OfflineStore
    nonisolated let broadcast: Broadcast<OfflineEvent>
    nonisolated let sender: Locked<(any RequestSending)?>
    private let monitor: (any NetworkMonitor)?

    var book: LaneScheduler
    /// The entries that are being sent or decided about.
    var tasks: [UUID: Task<Void, any Error>] = [:]
    /// The number of times in a row that an entry was postponed without an attempt of its own.
    var deferrals: [UUID: Int] = [:]
    /// The lanes that are held up because a credential was refused, and the identity that it stood for.
    var unauthorizedLanes: [String: EntryOwner?] = [:]
    /// The entries of which an event has said that they wait for their identity.
    var announced: Set<UUID> = []
    /// The time at which the client is asked again about entries that it refused for their identity.
    var identityRetries: [OwnerGroup: NetKitClock.Instant] = [:]
    /// The entries that are removed as soon as their attempt is over.
    var pendingRemovals: Set<UUID> = []
    /// The entries of which the store cannot write down what has become of them.
    var stalled: Set<UUID> = []
    /// The attempts whose shards were lost since they began.
    var orphans: Set<UUID> = []
    /// Why the latest attempt failed; `nil` if it did not.
    var lastError: (any Error)?
    var isConnected = true
    var isClosed = false
    /// The reason why entries cannot be listed or read; while there is one, nothing is sent.
    var readProblem: NetKitError?
    /// The reason why something could not be written the last time.
    var writeProblem: NetKitError?
    /// The shards of which the store has more or other entries than the book.
    var staleShards: Set<Int> = []
    /// The shards of which nothing is begun before they were listed once more.
    var uncertainShards: Set<Int> = []
    /// A Boolean value that indicates whether everything in the store is to be listed again.
    var isAllStale = false
    /// The shards that others are to have, and those of them that are ready to be handed over.
    var leavingShards: Set<Int> = []
    var freeShards: Set<Int> = []
    /// The lanes that go on here, and not yet in the store.
    var endedPauses: Set<String> = []
    /// The number of entries of a lane that are listed.
    var depth: Int
    /// The times of the next complete listing and of the next look for dead letters that are too old.
    var nextListing: NetKitClock.Instant?
    var nextTrimming: NetKitClock.Instant?

    private var alarm: ClockAlarm?
    private var watches: [Task<Void, any Error>] = []
    /// The alarm wakes a task that began with the queue: in a simulation that one stays inside it.
    let wakes: AsyncStream<Void>.Continuation
    private let wakeStream: AsyncStream<Void>
    private let noticeStream: AsyncStream<OfflineNotice>
    private var waiters: [(upTo: Int64, turn: Promise<Void>)] = []
    private var drained: Promise<Bool>?
    private var ending: Task<Bool, any Error>?
    /// The time that a store has for closing.
    static let closingTime = Duration.seconds(5)

    /// Opens a queue in a folder.
    ///
    /// - Parameters:
    ///   - directory: The folder, which belongs to this queue alone.
    ///   - sender: What sends the requests; `nil` if `attach` says so later.
    ///   - monitor: What tells whether there is a network.
    ///   - seal: Encrypts what is written.
    ///   - configuration: Bounds and policies.
    /// - Throws: `.queueLocked` where the folder is open already, `.unsupported` where it is on a network file system. A disk
    ///   that refuses is no error here: `storeProblem` and `enqueue` tell, and the queue goes on when the cause is gone.
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

    /// Opens a queue in a folder, without a monitor: there is taken to be a network, and failures tell.
    ///
    /// - Parameters:
    ///   - directory: The folder, which belongs to this queue alone.
    ///   - sender: What sends the requests; `nil` if `attach` says so later.
    ///   - seal: Encrypts what is written.
    ///   - configuration: Bounds and policies.
    /// - Throws: As the other.
    public init(
        directory: URL,
        sender: (any RequestSending)? = nil,
        seal: RecordSeal? = nil,
        configuration: Configuration = Configuration()
    ) async throws {
        let store = JSONOfflineStore(directory: directory, seal: seal)
        try await self.init(store: store, sender: sender, monitor: nil, configuration: configuration)
    }

    /// Opens a queue over a store of yours.
    ///
    /// - Parameters:
    ///   - store: Where entries are kept.
    ///   - sender: What sends the requests; `nil` if `attach` says so later.
    ///   - monitor: What tells whether there is a network; without one there is taken to be one.
    ///   - configuration: Bounds and policies.
    /// - Throws: What opening the store throws.
    public init(
        store: any OfflineStore,
        sender: (any RequestSending)? = nil,
        monitor: (any NetworkMonitor)? = nil,
        configuration: Configuration = Configuration()
    ) async throws {
        self.store = store
        self.sender = Locked(sender)
        self.monitor = monitor
        self.configuration = configuration
        broadcast = Broadcast(capacity: configuration.maxBufferedEvents)
        book = LaneScheduler(options: configuration.lanes)
        depth = store.isShared ? Self.firstDepth : .max
        (wakeStream, wakes) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let (noticeStream, notices) = AsyncStream.makeStream(of: OfflineNotice.self)
        self.noticeStream = noticeStream
        do {
            try await store.open(clock: configuration.clock) { notices.yield($0) }
        } catch {
            await store.close()
            throw error
        }
        await list(nil)
        await trimDeadLetters()
        await beginWatching()
        pump()
    }

    deinit {
        for watch in watches { watch.cancel() }
        alarm?.cancel()
    }

    /// The events from now on; a listener that falls behind loses the oldest.
    public nonisolated var events: AsyncStream<OfflineEvent> { broadcast.stream() }

    /// Says what sends the requests, if that was not known when the queue was made.
    ///
    /// A client whose list holds an `OfflineInterceptor` of this queue is held by it until `close`.
    public func attach(_ sender: any RequestSending) {
        self.sender.withLock { $0 = sender }
        pump()
    }

    /// The reason why the store cannot be written to or read, or `nil` if it can as far as is known.
    ///
    /// The queue repeats a failed write each `refreshInterval`. It sends nothing while entries cannot be read.
    public var storeProblem: NetKitError? { readProblem ?? writeProblem }

    /// The parts of the store that were found damaged or missing since the queue was opened, at most the latest 1,000.
    public internal(set) var quarantined: [QuarantinedRecord] = []

    /// The number of entries that wait or are being sent; 0 while the store cannot tell.
    public var pendingCount: Int {
        get async { await tally.pendingCount }
    }

    /// Returns the number of entries that wait or are being sent; 0 while the store cannot tell.
    public func pendingCount() async -> Int { await tally.pendingCount }

    /// The number of entries that were given up; 0 while the store cannot tell.
    public var deadLetterCount: Int {
        get async { await tally.deadLetterCount }
    }

    var tally: OfflineTally {
        get async { (try? await store.tally()) ?? OfflineTally() }
    }

    /// Sends every entry that is there now and whose time has come, and returns when each was tried or cannot be for now.
    ///
    /// Entries that come meanwhile are sent as well, but not waited for. However many call it, each entry is sent once. Of a
    /// store that several queues share, it sends the entries that this one owns.
    public func processQueue() async {
        guard !isClosed else { return }
        if let monitor { note(isConnected: await monitor.isConnected) }
        let last = await tally.lastPosition
        if store.isShared || readProblem != nil { isAllStale = true }
        await catchUp()
        guard !isClosed else { return }
        let turn = Promise<Void>()
        identityRetries.removeAll()
        waiters.append((last, turn))
        pump()
        try? await turn.cancellableValue()
    }

    /// Closes the queue: no attempt begins, those that run are waited for, and the store is closed.
    ///
    /// Attempts that exceed the bound are canceled. The store then has five seconds to write down what became of them. A store
    /// that takes longer, as on a disk that hangs, is left behind. A second call waits for the first.
    ///
    /// - Parameter bound: The time that attempts may take.
    /// - Returns: Whether every attempt ended by itself and the store was closed.
    @discardableResult
    public func close(within bound: Duration = .seconds(10)) async -> Bool {
        if let ending { return (try? await ending.value) ?? false }
        isClosed = true
        let ending = startImmediately { await self.end(within: bound) }
        self.ending = ending
        return (try? await ending.value) ?? false
    }

    private func end(within bound: Duration) async -> Bool {
        for watch in watches { watch.cancel() }
        alarm?.cancel()
        settleWaiters()
        // They try once more.
        for id in stalled { tasks[id]?.cancel() }
        var isDrained = true
        if !tasks.isEmpty {
            let drained = Promise<Bool>()
            self.drained = drained
            isDrained = await drained.isKept(within: bound, configuration.clock)
            for task in tasks.values { task.cancel() }
        }
        let closed = Promise<Bool>()
        _ = startImmediately { [tasks = Array(tasks.values), store] in
            for task in tasks { _ = try? await task.value }
            await store.close(within: Self.closingTime)
            closed.end(.success(true))
        }
        let isStoreClosed = await closed.isKept(within: Self.closingTime, configuration.clock)
        sender.withLock { $0 = nil }
        broadcast.finish()
        return isDrained && isStoreClosed
    }

    // MARK: Draining

    /// Begins whatever may begin, and sets the alarm for what may later.
    func pump() {
        defer { settleWaiters() }
        guard !isClosed else { return }
        compareIdentities()
        while true {
            switch book.next(now: configuration.clock.now, isSending: canSend) {
            case .send(let id):
                guard let shard = book[id]?.entry.shard, store.owns(shard) else {
                    // A notice says what becomes of it.
                    book.close([book[id]?.entry.shard ?? 0])
                    continue
                }
                begin(id) { queue in await queue.send(id) }
            case .expire(let id): begin(id) { queue in await queue.expire(id) }
            case .wait(let time):
                noteStaleShards()
                return setAlarm(time)
            }
        }
    }

    private var canSend: Bool {
        isConnected && readProblem == nil && book.busyCount < max(1, configuration.parallelLanes)
            && sender.withLock { $0 != nil }
    }

    /// Has an entry dealt with in a task that `close` waits for.
    func begin(_ id: UUID, _ body: @escaping @Sendable (OfflineQueue) async -> Void) {
        book.set(id, .busy)
        tasks[id] = startImmediately { [self] in
            await body(self)
            await end(id)
        }
    }

    private func end(_ id: UUID) {
        tasks[id] = nil
        if tasks.isEmpty { drained?.end(.success(true)) }
        pump()
    }

    private func setAlarm(_ time: NetKitClock.Instant?) {
        alarm?.cancel()
        alarm = nil
        let clock = configuration.clock
        var first = earlier(time, nextTrimming)
        if store.isShared || readProblem != nil { first = earlier(first, nextListing) }
        if book.owners.heldCount > 0 { first = earlier(first, clock.now.advanced(by: configuration.refreshInterval)) }
        guard let first else { return }
        alarm = clock.scheduleWakeUp(at: first) { [wakes] in wakes.yield() }
    }

    private func earlier(_ left: NetKitClock.Instant?, _ right: NetKitClock.Instant?) -> NetKitClock.Instant? {
        left.map { min($0, right ?? $0) } ?? right
    }

    private func settleWaiters() {
        waiters.removeAll { waiter in
            guard isClosed || !canSendAtAll || !isBehind && !book.hasWork(upTo: waiter.upTo) else { return false }
            waiter.turn.end(.success(()))
            return true
        }
    }

    private var canSendAtAll: Bool {
        guard tasks.isEmpty else { return !tasks.keys.allSatisfy(stalled.contains) }
        return isConnected && readProblem == nil && sender.withLock { $0 != nil }
    }

    // MARK: Events and monitor

    /// Says that something could not be written.
    func noteStore(_ error: any Error) {
        let error = ErrorBoundary.outward(error, outcome: .notSent) as? NetKitError
        if let error, error.code != .closed { writeProblem = error }
        var event = OfflineEvent(.storeFailed, reason: error?.message)
        event.error = error
        emit(event)
    }

    /// The events of the client through which the queue sends, if it has a listener.
    var listeningHub: EventHub? {
        let hub = (sender.withLock { $0 } as? any EventHubOwning)?.eventHub
        return hub?.isHeard == true ? hub : nil
    }

    func emit(_ event: OfflineEvent) {
        listeningHub?.report(.queue, detail: event.description, label: event.kind.description)
        broadcast.note(event)
        broadcast.publish()
    }

    private func beginWatching() async {
        watches.append(
            startImmediately { [weak self, wakeStream] in
                for await _ in wakeStream {
                    guard let self else { return }
                    await self.wake()
                }
            }
        )
        watches.append(
            startImmediately { [weak self, noticeStream] in
                for await notice in noticeStream {
                    guard let self else { return }
                    await self.take(notice)
                }
            }
        )
        guard let monitor else { return }
        // Listening begins before the monitor is asked: a change in between would otherwise be missed.
        let changes = monitor.connectionStream()
        isConnected = await monitor.isConnected
        watches.append(
            startImmediately { [weak self] in
                for await isConnected in changes {
                    guard let self else { return }
                    await self.noteAndPump(isConnected: isConnected)
                }
            }
        )
    }

    private func noteAndPump(isConnected: Bool) {
        note(isConnected: isConnected)
        pump()
    }

    /// With the network come back, what waited for it need not wait any longer.
    private func note(isConnected: Bool) {
        let isBack = isConnected && !self.isConnected
        self.isConnected = isConnected
        guard isBack else { return }
        for id in deferrals.keys { book.forgetWait(id) }
    }
}
