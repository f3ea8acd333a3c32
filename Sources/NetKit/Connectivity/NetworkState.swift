public import Observation

/// What an app's views show of the network and of the offline queue.
///
/// ```swift
/// let state = NetworkState(networkMonitor: .platformDefault, offlineQueue: queue)
/// ```
/// It keeps itself up to date from the moment it is made, however often views come and go, until the last who holds it lets
/// go. When the network comes back it has the queue sent: `isSyncing` becomes true, `syncingItemsCount` the number of what
/// waits, and when all is done both go back. It lives on the main actor.
@MainActor
@Observable
public final class NetworkState {
    /// Whether there is a network; taken for granted until the monitor has spoken.
    public private(set) var isConnected = true
    /// All that the monitor knows; nil until it has spoken.
    public private(set) var status: NetworkStatus?
    /// Whether the queue is being sent because the network has come back.
    public private(set) var isSyncing = false
    /// How many entries wait while the queue is being sent; 0 otherwise.
    public private(set) var syncingItemsCount = 0
    /// Why the latest attempt to send failed; nil where it did not.
    public private(set) var lastSyncError: (any Error)?
    /// How many entries could not be delivered, and wait for a person.
    public private(set) var deadLetterCount = 0

    /// What the views say.
    public var texts: NetworkTexts

    // Each holds this object only while it changes it.
    @ObservationIgnored private var listening: Task<Void, Never>?
    @ObservationIgnored private var reading: Task<Void, Never>?
    @ObservationIgnored private var syncing: Task<Void, Never>?
    @ObservationIgnored private var wantsAnotherSync = false

    /// Makes the state of a monitor and a queue.
    ///
    /// - Parameters:
    ///   - networkMonitor: Who says whether there is a network.
    ///   - offlineQueue: What is sent when the network comes back, if there is a queue.
    ///   - texts: What the views say: by default in a language of the user's.
    public init(
        networkMonitor: any NetworkMonitor,
        offlineQueue: (any OfflineQueueReporting)? = nil,
        texts: NetworkTexts = .preferred()
    ) {
        self.texts = texts
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

    /// What a banner says; nil where there is a network.
    public var bannerText: String? {
        status.flatMap { texts.banner(for: $0) }
    }

    /// What is said while the queue is being sent; nil where nothing is.
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
                // Before it is sent: what the queue reports meanwhile stays.
                self?.lastSyncError = nil
                do {
                    if count > 0 { try await queue.processQueue() }
                } catch is CancellationError {
                    // Nobody looks any more.
                } catch {
                    self?.lastSyncError = error
                }
            } while self?.endSync() == false
        }
    }

    /// False where the network has come back once more meanwhile.
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
