public import Observation

/// The observable state of the network and the offline queue, for views.
///
/// ```swift
/// let state = NetworkState(networkMonitor: .platformDefault, offlineQueue: queue)
/// ```
/// The state is updated until it is released. When the network comes back, it processes the queue: `isSyncing` becomes
/// `true` and `syncingItemsCount` the number of waiting entries. Both are reset when the queue is processed.
@MainActor
@Observable
public final class NetworkState {
    /// Whether there is a network.
    ///
    /// The value is `true` until the monitor reports its first status.
    public private(set) var isConnected = true
    /// The latest status, or `nil` until the monitor reports one.
    public private(set) var status: NetworkStatus?
    /// Whether the queue is being processed because the network came back.
    public private(set) var isSyncing = false
    /// The number of waiting entries while the queue is being processed, and otherwise 0.
    public private(set) var syncingItemsCount = 0
    /// The reason why the store of the queue cannot be read, or else the error of the latest attempt to process the
    /// queue; `nil` if it succeeded.
    public private(set) var lastSyncError: (any Error)?
    /// The number of entries that could not be delivered and need a decision.
    public private(set) var deadLetterCount = 0

    /// The texts for the views.
    public var texts: NetworkTexts

    // Kept, because the updates of a monitor end when it is released.
    @ObservationIgnored private let monitor: any NetworkMonitor
    // Each task holds this object only while it changes it.
    @ObservationIgnored private var listening: Task<Void, Never>?
    @ObservationIgnored private var reading: Task<Void, Never>?
    @ObservationIgnored private var syncing: Task<Void, Never>?
    @ObservationIgnored private var wantsAnotherSync = false

    /// Creates the state of a monitor and a queue.
    ///
    /// - Parameters:
    ///   - networkMonitor: The monitor of the network.
    ///   - offlineQueue: The queue to process when the network comes back.
    ///   - texts: The texts for the views. By default, they are in one of the user's preferred languages.
    public init(
        networkMonitor: any NetworkMonitor,
        offlineQueue: (any OfflineQueueReporting)? = nil,
        texts: NetworkTexts = .preferred()
    ) {
        self.texts = texts
        monitor = networkMonitor
        let updates = networkMonitor.updates
        listening = Task { [weak self] in
            for await status in updates {
                guard let self else { return }
                note(status, offlineQueue)
            }
        }
        guard let reports = offlineQueue?.reports else { return }
        reading = Task { [weak self] in
            for await report in reports {
                guard let self else { return }
                note(report)
            }
        }
    }

    deinit {
        listening?.cancel()
        reading?.cancel()
        syncing?.cancel()
    }

    /// The text of a banner, or `nil` if there is a network.
    public var bannerText: String? {
        status.flatMap { texts.banner(for: $0) }
    }

    /// The text to show while the queue is being processed, and otherwise `nil`.
    public var syncText: String? {
        isSyncing && syncingItemsCount > 0 ? texts.syncing(syncingItemsCount) : nil
    }

    private func note(_ status: NetworkStatus, _ queue: (any OfflineQueueReporting)?) {
        let isBack = status.isConnected && !isConnected
        self.status = status
        isConnected = status.isConnected
        guard isBack, let queue else { return }
        guard syncing == nil else {
            wantsAnotherSync = true
            return
        }
        syncing = Task { [weak self] in
            repeat {
                self?.isSyncing = true
                let count = await queue.pendingCount()
                self?.syncingItemsCount = count
                // Reset before processing, so that an error that the queue reports meanwhile stays.
                self?.lastSyncError = nil
                do {
                    if count > 0 { try await queue.processQueue() }
                } catch is CancellationError {
                    // This object was released.
                } catch {
                    self?.lastSyncError = error
                }
            } while self?.endSync() == false
        }
    }

    /// Ends the processing, or returns `false` if the network came back again meanwhile.
    private func endSync() -> Bool {
        if wantsAnotherSync {
            wantsAnotherSync = false
            return false
        }
        syncingItemsCount = 0
        isSyncing = false
        syncing = nil
        return true
    }

    private func note(_ report: OfflineQueueReport) {
        deadLetterCount = report.deadLetterCount
        lastSyncError = report.lastError
        if isSyncing { syncingItemsCount = report.pendingCount }
    }
}
