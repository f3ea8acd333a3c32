import Dispatch
public import Foundation

/// A store that keeps entries as JSON in a folder, one object per line, readable with `cat` and `jq`.
///
/// Acknowledged changes survive `kill -9` and a power cut. The folder has one owner at a time, in this process or any
/// other on this machine; a second one gets `.queueLocked`. Folders on network file systems are refused, but those that
/// are mounted through FUSE are not recognized.
///
/// | in the folder | content |
/// |---|---|
/// | `journal-….jsonl` | the entries and their changes of state, each line with its own number and checksum |
/// | `bodies/` | bodies that are files or large, and other large parts of entries |
/// | `quarantine.jsonl` | the damaged or missing parts, each with the reason |
/// | `quarantine-2.jsonl` | the same, if `quarantine.jsonl` cannot be written |
/// | `lock` | the lock of the folder's owner, with a note of the journal's progress |
public final class JSONOfflineStore: OfflineStore {
    /// The folder.
    public let directory: URL

    let thread = JournalThread()
    private let shared = JournalShared()
    let bodies: BodiesFolder
    let clock = Locked(NetKitClock.system)
    private let wasOpened = Flag()
    private let life = StoreLifeCycle()
    private let makeDisk: @Sendable () -> sending JournalDisk

    /// Creates a store.
    ///
    /// The folder is opened at the first use, and created if it is missing.
    ///
    /// - Parameters:
    ///   - directory: The folder; it should hold nothing else.
    ///   - seal: The encryption of stored requests and responses.
    public convenience init(directory: URL, seal: RecordSeal? = nil) {
        self.init(directory: directory, seal: seal, fileSystem: SystemFileSystem())
    }

    /// Creates a store with custom sizes for its journal.
    package convenience init(directory: URL, settings: JournalSettings) {
        self.init(directory: directory, fileSystem: SystemFileSystem(), settings: settings)
    }

    init(
        directory: URL,
        seal: RecordSeal? = nil,
        fileSystem: any DurableFileSystem,
        settings: JournalSettings = JournalSettings()
    ) {
        self.directory = directory
        let folder = directory.folderPath
        bodies = BodiesFolder(
            folder: "\(folder)/\(JournalDisk.bodiesName)",
            fileSystem: fileSystem,
            seal: seal,
            shared: shared
        )
        makeDisk = { [folder, shared] in
            JournalDisk(folder: folder, fileSystem: fileSystem, settings: settings, shared: shared)
        }
        thread.start(makeDisk())
    }

    deinit { thread.end() }

    /// Opens the folder, and creates it if it is missing.
    ///
    /// A store that was closed is opened after its changes that are still under way have ended.
    ///
    /// - Throws: `.queueLocked` if another queue has the store or the folder, `.unsupported` for a network file system.
    public func open(clock: NetKitClock, notify: @escaping @Sendable (OfflineNotice) -> Void) async throws {
        // The body of an addition may still be copied, which the closed thread then refuses to write.
        if try await life.open() {
            shared.empty()
            thread.start(makeDisk())
        }
        self.clock.withLock { $0 = clock }
        shared.notify.withLock { $0 = notify }
        do {
            _ = try await openFolder()
        } catch {
            life.cancelOpening()
            throw error
        }
    }

    /// Lists every entry, after another attempt to open the folder if the first one failed.
    public func lines(of shards: Set<Int>?, depth: Int) async throws -> OfflineListing {
        let problem = try await openFolder()
        let quarantined = shared.quarantined.withLock { exchange(&$0, with: []) }
        let clock = clock.withLock { $0 }
        let date = clock.date
        let (slots, pauses) = shared.index.withLock { ($0.orderedSlots, $0.bookkeeping.pauses(at: clock.now)) }
        let lines = slots.map { OfflineListedEntry($0.entry, at: date) }
        return OfflineListing(lines: lines, pauses: pauses, quarantined: quarantined, problem: problem)
    }

    /// Returns the reason why the folder can only be read, if there is one.
    private func openFolder() async throws -> NetKitError? {
        defer { wasOpened.set() }
        return try await thread.run { disk -> NetKitError? in
            do {
                try disk.open()
                return nil
            } catch let error as FileError {
                disk.readOnly()
                return Self.refusal(error)
            }
        }
    }

    private static func refusal(_ error: FileError) -> NetKitError {
        NetKitError(.file, "The queue cannot be written to. \(error.explanation)", cause: error)
    }

    /// Reads entries with their bodies, or with the paths of their bodies' files.
    public func load(_ ids: [UUID]) async throws -> [UUID: Result<StoredRequest, NetKitError>] {
        await bodies.readers.run { [bodies, shared] in
            var found: [UUID: Result<StoredRequest, NetKitError>] = [:]
            let reader = StoredRequestReader(bodies: bodies)
            for id in ids {
                var slot: JournalIndex.Slot?
                // It is read again if it was changed or removed meanwhile, because its files may have been as well.
                while case let latest = shared.index.withLock({ $0[id] }), latest !== slot {
                    slot = latest
                    found[id] = latest.map { reader.load($0) }
                }
            }
            return found
        }
    }

    /// Makes a change, and counts it before the call leaves the actor of the queue, which can be closed after that.
    private func change<Success: Sendable>(_ body: @concurrent () async throws -> Success) async throws -> Success {
        life.beginChange()
        defer { life.endChange() }
        return try await body()
    }

    /// Adds an entry, and returns once it is safe.
    public func append(_ addition: OfflineAddition, within bounds: OfflineBounds) async throws -> OfflineAppendResult {
        try await change { @concurrent in
            if !wasOpened.isSet { _ = try await openFolder() }
            switch try await admit(addition, within: bounds) {
            case .kept(let id): return .kept(id)
            case .admitted(let plan):
                do {
                    try await write(plan, addition.request)
                } catch {
                    let ended = shared.index.withLock { $0.bookkeeping.withdraw(plan) }
                    for promise in ended { promise.resolve(.success(())) }
                    await bodies.remove([plan.entry.id])
                    throw error
                }
                for ended in shared.index.withLock({ $0.bookkeeping.finish(plan) }) { ended.resolve(.success(())) }
                if addition.request.takesFile, let source = addition.request.body?.fileRange {
                    await bodies.removeSource(source.path)
                }
                await bodies.remove(plan.leaving)
                return .added(plan.entry, replaced: plan.replaced, dropped: plan.dropped)
            }
        }
    }

    private func write(_ plan: StoreBookkeeping.Plan, _ request: QueuedRequest) async throws {
        let put = try await putRecord(of: plan.entry, request, keepFiles(of: request))
        try await write([put] + plan.leaving.map { UnnumberedRecord(.remove($0)) })
    }

    /// Finds room and a place for an entry, after the writes of those with which it coalesces.
    private func admit(
        _ addition: OfflineAddition,
        within bounds: OfflineBounds
    ) async throws -> StoreBookkeeping.Admission {
        while true {
            let (admission, writes) = try shared.index.withLock { try $0.admitOrWait(addition, within: bounds) }
            if let admission { return admission }
            try await writes?.value()
        }
    }

    /// Notes in memory that an entry is being sent.
    public func begin(_ id: UUID) async throws -> Bool {
        shared.index.withLock { $0[id] != nil && $0.bookkeeping.begin(id) }
    }

    /// Removes an entry; nothing changes if the write fails.
    public func commit(_ id: UUID, sentAs key: String?) async throws {
        try await change { @concurrent in
            guard shared.index.withLock({ $0[id] != nil }) else { return }
            try await write([UnnumberedRecord(.remove(id))])
            await bodies.remove([id])
        }
    }

    /// Gives an entry back; nothing changes if the write fails.
    public func release(_ id: UUID, _ update: OfflineUpdate?) async throws -> Bool {
        try await change { @concurrent in
            guard let entry = shared.index.withLock({ $0.entry(id) }) else { return false }
            guard let update else {
                shared.index.withLock { $0.bookkeeping.endBegin(id) }
                return true
            }
            guard entry.state == update.previousState else { return false }
            let current: EntryFiles?
            do {
                current = try await files(of: id)
            } catch _ where update.request == nil {
                // An entry whose files cannot be read can still be given up. In that case its files stay.
                current = nil
            }
            let (records, files): ([UnnumberedRecord], EntryFiles)
            do {
                (records, files) = try await self.records(entry, update, besides: current ?? EntryFiles())
            } catch {
                if let current { await bodies.remove([id], except: current) }
                throw error
            }
            // Records that cannot be synced may still be in the journal, and name the new files.
            try await write(records)
            if let current, files != current { await bodies.remove([id], except: files) }
            // It may have left while the record was written.
            return shared.index.withLock { $0.entry(id) != nil }
        }
    }

    /// Pauses a lane; the pause ends with the process at the latest.
    public func pause(_ lane: String, for time: Duration?) async throws {
        let now = clock.withLock { $0.now }
        shared.index.withLock { $0.bookkeeping.pause(lane, until: time.map { now.advanced(by: $0) }) }
    }

    /// Ends the pause of a lane.
    public func resume(_ lane: String) async throws {
        shared.index.withLock { $0.bookkeeping.resume(lane) }
    }

    /// Makes entries due now with one write; nothing changes if it fails.
    public func revive(_ ids: [UUID]) async throws -> [OfflineEntry] {
        try await change { @concurrent in
            let entries = shared.index.withLock { index in ids.compactMap { index.entry($0) } }
            guard !entries.isEmpty else { return [] }
            let records = entries.map { stateRecord($0, .revival(of: $0)) }
            // The detail of an entry that cannot be read stays: it must not keep the others from being revived.
            var details: [EntryFile] = []
            for entry in entries {
                if let detail = try? await files(of: entry.id).detail { details.append(detail) }
            }
            try await write(records)
            if !details.isEmpty { await bodies.remove(details) }
            return shared.index.withLock { index in ids.compactMap { index.entry($0) } }
        }
    }

    /// Removes entries with one write; nothing changes if it fails.
    public func remove(_ ids: [UUID]) async throws -> OfflineRemoval {
        try await change { @concurrent in
            let entries = await beginLeaving(ids)
            guard !entries.isEmpty else { return OfflineRemoval() }
            let names = entries.map(\.id)
            defer { shared.index.withLock { $0.bookkeeping.endLeaving(names) }?.resolve(.success(())) }
            try await write(names.map { UnnumberedRecord(.remove($0)) })
            await bodies.remove(names)
            return OfflineRemoval(removed: entries)
        }
    }

    /// Returns the entries to remove, after other writes with which some of them leave.
    private func beginLeaving(_ ids: [UUID]) async -> [OfflineEntry] {
        while true {
            let (entries, writes) = shared.index.withLock { index in
                var seen: Set<UUID> = []
                let entries = ids.compactMap { seen.insert($0).inserted ? index.entry($0) : nil }
                return (entries, index.bookkeeping.beginLeaving(entries.map(\.id)))
            }
            guard let writes else { return entries }
            try? await writes.value()
        }
    }

    /// Lists entries that meet a condition.
    public func browse(_ filter: OfflineFilter, after position: Int64?, limit: Int) async throws -> [OfflineEntry] {
        let date = clock.withLock { $0.date }
        let entries = shared.index.withLock { index in
            if let ids = filter.ids { ids.compactMap { index.entry($0) } } else { index.allEntries }
        }
        return filter.page(of: entries, at: date, after: position, limit: limit)
    }

    /// Counts the entries.
    public func tally() async throws -> OfflineTally { shared.index.withLock { $0.bookkeeping.tally } }

    /// Returns the files of an entry.
    ///
    /// Most entries have none.
    private func files(of id: UUID) async throws -> EntryFiles {
        guard bodies.hasFiles(id), let slot = shared.index.withLock({ $0[id] }) else { return EntryFiles() }
        return try await bodies.readers.run { [bodies] in try StoredRequestReader(bodies: bodies).files(slot) }
    }

    /// Closes the store: finishes its pending writes, and releases the folder.
    ///
    /// A disk that hangs cannot be interrupted. The folder is then released when the disk responds. After that, `open`
    /// opens the store again.
    public func close(within bound: Duration) async {
        life.beginClosing()
        await thread.finish()
        shared.notify.withLock { $0 = nil }
        life.endClosing()
    }

    private func write(_ records: [UnnumberedRecord]) async throws {
        if let record = records.first(where: { !$0.isReadBack() }) {
            throw NetKitError(
                .encoding,
                "The new state of the entry \(record.id?.uuidString ?? "") cannot be written, because it would be read differently."
            )
        }
        do {
            try await thread.write(records)
        } catch let error as FileError {
            throw Self.refusal(error)
        }
    }
}
