public import Foundation

extension OfflineQueue {
    // MARK: Numbers

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

    /// The number of entries that wait until the client has the identity under which they were made.
    public var waitingForIdentityCount: Int { scheduler.identities.heldCount }

    // MARK: Entries

    /// All entries without their requests, oldest first; none while the store cannot be read.
    public var entries: [OfflineEntry] {
        get async { await entries(where: OfflineFilter()) }
    }

    /// Returns the entries that meet a condition, oldest first; none while the store cannot be read.
    public func entries(where filter: OfflineFilter) async -> [OfflineEntry] {
        (try? await matching(filter)) ?? []
    }

    /// Returns the entries that have to be sent under an identity, oldest first, including dead letters and conflicts.
    ///
    /// - Parameter identity: The name of the identity.
    /// - Returns: The entries. Entries without an identity are not included.
    public func entries(for identity: String) async -> [OfflineEntry] {
        await entries(where: OfflineFilter(identities: [identity]))
    }

    /// The entries that wait or are being sent, oldest first, with their bodies.
    ///
    /// Entries that cannot be read are left out; `entries` has all. For a long queue, this takes as much memory as all
    /// its bodies; `pendingCount` and `entries` do not.
    public var pending: [QueuedRequest] {
        get async {
            let entries = await entries(where: OfflineFilter(states: [.waiting]))
            return await load(entries).compactMap { try? $0.stored.get().request }
        }
    }

    /// The entries that were given up, oldest first.
    ///
    /// An entry that cannot be read has the reason `.unreadable` and a request without a target.
    public var deadLetters: [DeadLetter] {
        get async {
            let entries = await entries(where: OfflineFilter(states: [.deadLetter]))
            return await load(entries).map { DeadLetter($0.entry, $0.stored) }
        }
    }

    /// Returns an entry's request with its body, in any state; `nil` if there is no such entry.
    ///
    /// - Throws: `.decoding` if the stored request cannot be read, or an error of the store.
    public func storedRequest(_ id: UUID) async throws -> QueuedRequest? {
        try await store.load([id])[id]?.get().request
    }

    // MARK: Lanes and problems

    /// The paused lanes.
    public var pausedLanes: [String] { scheduler.pausedLanes(at: configuration.clock.now) }

    /// The reason why the store cannot be written to or read, or `nil` if it can as far as is known.
    ///
    /// The queue repeats a failed write each `refreshInterval`. It sends nothing while the store cannot be read. If a
    /// single entry cannot be read, the other lanes continue.
    public var storeProblem: NetKitError? { storeState.readProblem ?? storeState.writeProblem ?? history.problem }

    /// The parts of the store that were found damaged or missing since the queue was opened, at most the latest 1,000.
    public var quarantined: [QuarantinedRecord] { storeState.quarantined }

    var tally: OfflineTally {
        get async { (try? await store.tally()) ?? OfflineTally() }
    }

    // MARK: Reading the store

    /// The number of entries in a page of a shared store, which may have to read and sort all entries for each page.
    private static let pageSize = 10_000

    /// Returns the entries that meet a condition, in order.
    func matching(_ filter: OfflineFilter) async throws -> [OfflineEntry] {
        var storeFilter = filter
        storeFilter.lanes = filter.lanes.map { Set($0.map(\.laneName)) }
        // The store knows no identities without a persistent name.
        if !store.isShared { storeFilter.identities = nil }
        let limit = store.isShared ? Self.pageSize : .max
        var found: [OfflineEntry] = []
        while true {
            let page = try await store.browse(storeFilter, after: found.last?.position, limit: limit)
            found += page
            guard page.count == limit else { break }
        }
        if let identities = filter.identities {
            found = found.filter { scheduler.identity(of: $0).map { identities.containsExactly($0.name) } ?? false }
        }
        for index in found.indices {
            guard let item = scheduler[found[index].id], scheduler.isHeld(item) else { continue }
            found[index].waitsForIdentity = true
        }
        return found
    }

    /// Reads the stored requests of entries.
    func load(_ entries: [OfflineEntry]) async -> [(entry: OfflineEntry, stored: Result<StoredRequest, NetKitError>)] {
        guard let stored = try? await store.load(entries.map(\.id)) else { return [] }
        return entries.compactMap { entry in stored[entry.id].map { (entry, $0) } }
    }
}
