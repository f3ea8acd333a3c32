// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

// Names that other queues and monitors have. The compiler says what to write.

extension OfflineQueue {
    @available(*, unavailable, renamed: "init(directory:sender:seal:configuration:)")
    @_alwaysEmitIntoClient public init(url: URL, sender: any RequestSending) async throws {
        try await self.init(directory: url, sender: sender)
    }
    @available(*, unavailable, renamed: "init(directory:sender:seal:configuration:)")
    @_alwaysEmitIntoClient public init(path: URL, sender: any RequestSending) async throws {
        try await self.init(directory: path, sender: sender)
    }
    @available(*, unavailable, message: "Name a folder: OfflineQueue(directory: folder, sender: client).")
    @_alwaysEmitIntoClient public init(file: URL, sender: any RequestSending) async throws {
        try await self.init(directory: file, sender: sender)
    }
    @available(
        *,
        unavailable,
        message: "Pass a URL: OfflineQueue(directory: URL(fileURLWithPath: path), sender: client)."
    )
    @_alwaysEmitIntoClient public init(directory: String, sender: any RequestSending) async throws {
        try await self.init(store: InMemoryOfflineStore(), sender: sender)
    }
    @available(*, unavailable, message: "Name the folder first: OfflineQueue(directory: folder, sender: client).")
    @_alwaysEmitIntoClient public init(_ client: any RequestSending, directory: URL) async throws {
        try await self.init(directory: directory, sender: client)
    }
    @available(*, unavailable, message: "Name a folder or a store: OfflineQueue(directory: folder, sender: client).")
    @_alwaysEmitIntoClient public init(sender: any RequestSending) async throws {
        try await self.init(store: InMemoryOfflineStore(), sender: sender)
    }
    @available(*, unavailable, renamed: "init(store:sender:monitor:configuration:)")
    @_alwaysEmitIntoClient public init(outbox: any OfflineStore, sender: any RequestSending) async throws {
        try await self.init(store: outbox, sender: sender)
    }
    @available(
        *,
        unavailable,
        message: "Pass a QueuedRequest: enqueue(QueuedRequest(.post(\"/orders\", json: order), lane: \"orders\"))."
    )
    @_alwaysEmitIntoClient public nonisolated func enqueue(_ endpoint: Endpoint<Void>) async throws {}
    @available(
        *,
        unavailable,
        message: "Pass a QueuedRequest: enqueue(QueuedRequest(.post(\"/orders\", json: order), lane: \"orders\"))."
    )
    @_alwaysEmitIntoClient public nonisolated func enqueue(_ endpoint: Endpoint<Void>, lane: String) async throws {}
    @available(
        *,
        unavailable,
        message: "Name a lane, such as pause(lane: \"orders\"); lanes fail and wait independently."
    )
    @_alwaysEmitIntoClient public nonisolated func pause() async {}
    @available(
        *,
        unavailable,
        message: "Name a lane, such as pause(lane: \"orders\"); lanes fail and wait independently."
    )
    @_alwaysEmitIntoClient public nonisolated func resume() async {}
    @available(*, unavailable, renamed: "pause(lane:)")
    @_alwaysEmitIntoClient public nonisolated func pause(_ lane: String) async {}
    @available(*, unavailable, renamed: "resume(lane:)")
    @_alwaysEmitIntoClient public nonisolated func resume(_ lane: String) async {}
    @available(
        *,
        unavailable,
        message: "Name a lane, such as pause(lane: \"orders\"); lanes fail and wait independently."
    )
    @_alwaysEmitIntoClient public nonisolated var pauseAll: OtherName { OtherName() }
    @available(*, unavailable, renamed: "pendingCount")
    @_alwaysEmitIntoClient public nonisolated var size: Int { 0 }
    @available(*, unavailable, renamed: "pendingCount")
    @_alwaysEmitIntoClient public nonisolated var length: Int { 0 }
    @available(*, unavailable, renamed: "entries")
    @_alwaysEmitIntoClient public nonisolated var all: [OfflineEntry] { [] }
    @available(*, unavailable, renamed: "entries")
    @_alwaysEmitIntoClient public nonisolated var items: [OfflineEntry] { [] }
    @available(*, unavailable, renamed: "pending")
    @_alwaysEmitIntoClient public nonisolated var requests: [QueuedRequest] { [] }
    @available(*, unavailable, renamed: "deadLetters")
    @_alwaysEmitIntoClient public nonisolated var deadLetter: [DeadLetter] { [] }
    @available(*, unavailable, renamed: "deadLetters")
    @_alwaysEmitIntoClient public nonisolated var failedRequests: [DeadLetter] { [] }
    @available(*, unavailable, renamed: "unresolvedConflicts")
    @_alwaysEmitIntoClient public nonisolated var conflicts: [SyncConflict] { [] }
    @available(*, unavailable, message: "Name the entries: retry(where: OfflineFilter(states: [.deadLetter])).")
    @_alwaysEmitIntoClient public nonisolated var retryAll: OtherName { OtherName() }
    @available(*, unavailable, message: "Name the entries: retry(where: OfflineFilter(states: [.deadLetter])).")
    @_alwaysEmitIntoClient public nonisolated var retryDeadLetters: OtherName { OtherName() }
    @available(*, unavailable, renamed: "retry(_:)")
    @_alwaysEmitIntoClient public nonisolated var requeue: OtherName { OtherName() }
    @available(*, unavailable, renamed: "clear()")
    @_alwaysEmitIntoClient public nonisolated var removeAll: OtherName { OtherName() }
    @available(*, unavailable, renamed: "remove(_:)")
    @_alwaysEmitIntoClient public nonisolated var cancel: OtherName { OtherName() }
    @available(*, unavailable, renamed: "remove(_:)")
    @_alwaysEmitIntoClient public nonisolated var delete: OtherName { OtherName() }
    @available(*, unavailable, message: "Await processQueue(), which returns when every entry that is due was tried.")
    @_alwaysEmitIntoClient public nonisolated var waitUntilEmpty: OtherName { OtherName() }
    @available(*, unavailable, message: "Await processQueue(), which returns when every entry that is due was tried.")
    @_alwaysEmitIntoClient public nonisolated var waitUntilIdle: OtherName { OtherName() }
    @available(*, unavailable, renamed: "events")
    @_alwaysEmitIntoClient public nonisolated func stream() -> AsyncStream<OfflineEvent> { events }
}

extension QueuedRequest {
    @available(*, unavailable, message: "Name a lane: QueuedRequest(.post(path, json: value), lane: \"orders\").")
    @_alwaysEmitIntoClient public init(_ endpoint: Endpoint<Void>, queue: String) { self.init(endpoint, lane: queue) }
    @available(
        *,
        unavailable,
        message: "Name the date: QueuedRequest(.post(path, json: value), expiresAt: Date(timeIntervalSinceNow: 3600))."
    )
    @_alwaysEmitIntoClient public init(_ endpoint: Endpoint<Void>, expiresIn: Duration) { self.init(endpoint) }
    @available(
        *,
        unavailable,
        message: "Name the date: QueuedRequest(.post(path, json: value), expiresAt: Date(timeIntervalSinceNow: 3600))."
    )
    @_alwaysEmitIntoClient public init(_ endpoint: Endpoint<Void>, expiresAfter: Duration) { self.init(endpoint) }
    @available(
        *,
        unavailable,
        message: "Name the date: QueuedRequest(.post(path, json: value), expiresAt: Date(timeIntervalSinceNow: 3600))."
    )
    @_alwaysEmitIntoClient public init(_ endpoint: Endpoint<Void>, ttl: Duration) { self.init(endpoint) }
    @available(*, unavailable, message: "Write maxAttempts:, which counts the first attempt as well.")
    @_alwaysEmitIntoClient public init(_ endpoint: Endpoint<Void>, maxRetries: Int) {
        self.init(endpoint, maxAttempts: maxRetries)
    }
    @available(*, unavailable, message: "Every entry has a key; pass a text for one of your own: idempotencyKey: key.")
    @_alwaysEmitIntoClient public init(_ endpoint: Endpoint<Void>, idempotencyKey: IdempotencyKey) {
        self.init(endpoint)
    }
    @available(
        *,
        unavailable,
        message:
            "Write coalescingKey: for entries that replace each other, and idempotencyKey: for the key that the server sees."
    )
    @_alwaysEmitIntoClient public init(_ endpoint: Endpoint<Void>, key: String) { self.init(endpoint) }
    @available(
        *,
        unavailable,
        message:
            "Write coalescingKey: for entries that replace each other, and idempotencyKey: for the key that the server sees."
    )
    @_alwaysEmitIntoClient public init(_ endpoint: Endpoint<Void>, coalesce: String) { self.init(endpoint) }
}

extension OfflineQueue.Configuration {
    @available(*, unavailable, message: "Set maxAttempts, which counts the first attempt as well.")
    @_alwaysEmitIntoClient public var maxRetries: Int? {
        get { nil }
        set { _ = newValue }
    }

    @available(*, unavailable, renamed: "policy")
    @_alwaysEmitIntoClient public var retryPolicy: RetryPolicy {
        get { policy }
        set { _ = newValue }
    }

    @available(*, unavailable, renamed: "policy")
    @_alwaysEmitIntoClient public var retry: RetryPolicy {
        get { policy }
        set { _ = newValue }
    }

    @available(*, unavailable, renamed: "maxEntries")
    @_alwaysEmitIntoClient public var maxSize: Int {
        get { maxEntries }
        set { _ = newValue }
    }

    @available(*, unavailable, renamed: "maxEntries")
    @_alwaysEmitIntoClient public var maxCount: Int {
        get { maxEntries }
        set { _ = newValue }
    }

    @available(*, unavailable, renamed: "parallelLanes")
    @_alwaysEmitIntoClient public var concurrency: Int {
        get { parallelLanes }
        set { _ = newValue }
    }

    @available(*, unavailable, renamed: "parallelLanes")
    @_alwaysEmitIntoClient public var maxConcurrentLanes: Int {
        get { parallelLanes }
        set { _ = newValue }
    }

}

extension ConflictResolutionStrategy {
    @available(*, unavailable, renamed: "newerWins")
    @_alwaysEmitIntoClient public static var lastWriteWins: ConflictResolutionStrategy { .newerWins }
}

extension OfflineQueue.OverflowPolicy {
    @available(*, unavailable, renamed: "refuse")
    @_alwaysEmitIntoClient public static var reject: OfflineQueue.OverflowPolicy { .refuse }
    @available(*, unavailable, message: "Write .refuse: enqueue throws .queueFull.")
    @_alwaysEmitIntoClient public static var dropNewest: OfflineQueue.OverflowPolicy { .refuse }
}

extension OfflineInterceptor {
    @available(*, unavailable, message: "Write OfflineInterceptor(queue).")
    @_alwaysEmitIntoClient public init(queue: OfflineQueue) { self.init(queue) }
}

extension Deferrable {
    @available(*, unavailable, message: "Name a lane: Deferrable(lane: \"orders\").")
    @_alwaysEmitIntoClient public init(queue: String) { self.init(lane: queue) }
}

extension JSONOfflineStore {
    @available(*, unavailable, renamed: "init(directory:seal:)")
    @_alwaysEmitIntoClient public convenience init(_ directory: URL) { self.init(directory: directory) }
}

extension OfflineStore where Self == InMemoryOfflineStore {
    @available(*, unavailable, message: "Create the store: InMemoryOfflineStore().")
    @_alwaysEmitIntoClient public static var memory: InMemoryOfflineStore { InMemoryOfflineStore() }
    @available(*, unavailable, message: "Create the store: InMemoryOfflineStore().")
    @_alwaysEmitIntoClient public static var inMemory: InMemoryOfflineStore { InMemoryOfflineStore() }
}

extension ConnectivityInterceptor {
    @available(
        *,
        unavailable,
        message: "Write ConnectivityInterceptor(monitor, .failFast), or .wait(upTo: .seconds(30))."
    )
    @_alwaysEmitIntoClient public init(monitor: any NetworkMonitor, policy: ConnectivityPolicy = .failFast) {
        self.init(monitor, policy)
    }
    @available(
        *,
        unavailable,
        message: "Write ConnectivityInterceptor(monitor, .failFast), or .wait(upTo: .seconds(30))."
    )
    @_alwaysEmitIntoClient public init(_ monitor: any NetworkMonitor, policy: ConnectivityPolicy) {
        self.init(monitor, policy)
    }
}

extension ConnectivityPolicy {
    @available(*, unavailable, renamed: "wait(upTo:)")
    @_alwaysEmitIntoClient public static func wait(_ bound: Duration) -> ConnectivityPolicy { .wait(upTo: bound) }
}

extension NetworkMonitor {
    @available(*, unavailable, renamed: "isConnected")
    @_alwaysEmitIntoClient public var isOnline: Bool { false }
    @available(*, unavailable, renamed: "isConnected")
    @_alwaysEmitIntoClient public var isReachable: Bool { false }
    @available(*, unavailable, renamed: "updates")
    @_alwaysEmitIntoClient public var changes: AsyncStream<NetworkStatus> { updates }
}

extension ManualNetworkMonitor {
    @available(*, unavailable, renamed: "set(isConnected:connectionType:)")
    @_alwaysEmitIntoClient public func setConnected(_ isConnected: Bool) {}
}
