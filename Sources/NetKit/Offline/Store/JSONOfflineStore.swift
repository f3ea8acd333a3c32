import Dispatch
public import Foundation

/// Keeps entries as JSON in a folder: one object a line, to be read with `cat` and `jq`.
///
/// What it acknowledges survives `kill -9` and a power cut. The folder has one owner at a time, in this process or any
/// other on this machine; a second one gets `.queueLocked`. Folders on network file systems are refused.
///
/// | in the folder | what it is |
/// |---|---|
/// | `journal-….jsonl` | the entries and what became of them, each line with a number and a checksum of its own |
/// | `bodies/` | bodies that are files or large, and large versions that a change is based on |
/// | `quarantine.jsonl` | what was damaged or missing, and why |
/// | `lock` | held by the owner of the folder, with a note of how far the journal has got |
public final class JSONOfflineStore: OfflineStore {
    /// The folder.
    public let directory: URL

    private let thread = JournalThread()
    private let shared = JournalShared()
    private let bodies: BodyFiles
    private let seal: RecordSeal?
    private let fileSystem: any DurableFileSystem
    private let leases = Locked(LeaseTable())

    /// Makes a store; the folder is opened, and made where it is missing, when it is first asked.
    ///
    /// - Parameters:
    ///   - directory: The folder; it should hold nothing else.
    ///   - seal: Encrypts what is written.
    public convenience init(directory: URL, seal: RecordSeal? = nil) {
        self.init(directory: directory, seal: seal, fileSystem: SystemFileSystem(), settings: JournalSettings())
    }

    /// Creates a store whose journal has other sizes than usual.
    package convenience init(directory: URL, settings: JournalSettings) {
        self.init(directory: directory, seal: nil, fileSystem: SystemFileSystem(), settings: settings)
    }

    init(directory: URL, seal: RecordSeal?, fileSystem: any DurableFileSystem, settings: JournalSettings) {
        self.directory = directory
        self.seal = seal
        self.fileSystem = fileSystem
        var folder = directory.path(percentEncoded: false)
        while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
        bodies = BodyFiles(folder: "\(folder)/\(JournalDisk.bodiesName)", fileSystem: fileSystem, seal: seal)
        let shared = shared
        thread.start(JournalDisk(folder: folder, fileSystem: fileSystem, settings: settings, shared: shared))
    }

    deinit { thread.end() }

    /// Opens the folder and gives everything in it.
    public func list() async throws -> OfflineListing {
        let problem = try await thread.run { disk -> NetKitError? in
            do {
                try disk.open()
                return nil
            } catch let error as FileError {
                disk.readOnly()
                return NetKitError(.file, "The queue cannot be written to. \(error.message)", cause: error)
            }
        }
        let quarantined = shared.quarantined.withLock { records in
            defer { records = [] }
            return records
        }
        let entries = shared.index.withLock { $0.entries }
        return OfflineListing(entries: entries, quarantined: quarantined, problem: problem)
    }

    /// Reads an entry with its body, or with the place of its body's file.
    @concurrent
    public func load(_ id: UUID) async throws -> KeptRequest? {
        guard let slot = shared.index.withLock({ $0[id] }) else { return nil }
        do {
            return try KeptRequestReader(seal: seal, bodies: bodies).read(slot, fileSystem)
        } catch let error as FileError {
            throw NetKitError(.file, error.message, cause: error)
        } catch let error as KeptFileDamage {
            throw NetKitError(
                .decoding,
                "The entry \(id) cannot be sent as it was made. \(error.message)",
                cause: error
            )
        } catch {
            throw NetKitError(.decoding, "The entry \(id) cannot be read.", cause: error)
        }
    }

    /// Adds an entry, and returns once it is safe.
    @concurrent
    public func append(_ entry: OfflineEntry, _ request: QueuedRequest, replacing replaced: [UUID]) async throws {
        let files = try await keepFiles(of: request)
        do {
            let put = try line(.put(entry), request, files)
            try await write([put] + replaced.map { JournalLine(.remove($0)) }, isOptional: true)
        } catch {
            if files.body != nil || files.base != nil { await bodies.remove([request.id]) }
            throw error
        }
        if request.takesFile, let source = request.body?.fileRange { await bodies.removeSource(source.path) }
        if !replaced.isEmpty { await bodies.remove(replaced) }
    }

    /// Takes an entry; the folder's owner is the only one who can.
    public func lease(_ id: UUID, now: Date, until: Date) async throws -> OfflineLease? {
        guard shared.index.withLock({ $0[id] != nil }) else { return nil }
        return leases.withLock { $0.lease(id, now: now, until: until) }
    }

    /// Makes a lease longer.
    public func renew(_ lease: OfflineLease, now: Date, until: Date) async throws -> OfflineLease? {
        leases.withLock { $0.renew(lease, until: until) }
    }

    /// Removes an entry; where that cannot be written it is gone for this process, and written as soon as it can be.
    @concurrent
    public func commit(_ lease: OfflineLease) async throws -> Bool {
        guard leases.withLock({ $0.end(lease) }) else { return false }
        try await write([JournalLine(.remove(lease.id))], isOptional: false)
        await bodies.remove([lease.id])
        return true
    }

    /// Gives an entry back; where that cannot be written it holds for this process, and is written as soon as it can be.
    @concurrent
    public func release(_ lease: OfflineLease, _ update: OfflineUpdate) async throws -> Bool {
        guard leases.withLock({ $0.end(lease) }) else { return false }
        var lines: [JournalLine] = []
        var (current, files): (JournalText.Files?, JournalText.Files?)
        if let request = update.request, let entry = shared.index.withLock({ $0[lease.id]?.entry }) {
            current = try? slotFiles(lease.id)
            let kept = try await keepFiles(of: request, besides: current ?? JournalText.Files())
            lines.append(try line(.put(entry.updated(by: update)), request, kept))
            files = kept
        }
        let state = try JournalLine(.state(lease.id, update)) { text in
            guard let detail = update.detail else { return }
            let json = Array(try JSONEncoder().encode(detail))
            if let seal { try add(json, sealedBy: seal, to: &text) } else { text.add("detail", json: json) }
        }
        lines.append(state)
        try await write(lines, isOptional: false)
        if let files, let current, files != current { await bodies.remove([lease.id], except: files) }
        return true
    }

    private func slotFiles(_ id: UUID) throws -> JournalText.Files {
        guard let slot = shared.index.withLock({ $0[id] }) else { return JournalText.Files() }
        return try KeptRequestReader(seal: seal, bodies: bodies).files(slot, fileSystem)
    }

    /// Writes down what can be, and lets the folder go.
    public func close() async {
        try? await thread.run { $0.close() }
        thread.end()
    }

    private func write(_ lines: [JournalLine], isOptional: Bool) async throws {
        do {
            try await thread.write(lines, isOptional: isOptional)
        } catch let error as FileError {
            throw NetKitError(.file, "The queue cannot be written to. \(error.message)", cause: error)
        }
    }

    /// Keeps what is large beside the journal; nothing is written into a folder that is not this store's.
    private func keepFiles(
        of request: QueuedRequest,
        besides current: JournalText.Files = JournalText.Files()
    ) async throws -> JournalText.Files {
        guard BodyFiles.takes(request.body) || request.baseData.map(BodyFiles.takes) ?? false else {
            return JournalText.Files()
        }
        do {
            try await thread.run { try $0.open() }
            return try await bodies.keep(request, besides: current)
        } catch let error as FileError {
            throw NetKitError(.file, "The request's body cannot be kept. \(error.message)", cause: error)
        }
    }

    private func line(
        _ effect: JournalLine.Effect,
        _ request: QueuedRequest,
        _ files: JournalText.Files
    ) throws -> JournalLine {
        let line = try JournalLine(effect, capacity: JournalText.capacity(request)) { text in
            if let seal {
                try add(JournalText.request(request, files: files), sealedBy: seal, to: &text)
            } else {
                JournalText.write(request, files: files, as: "request", to: &text)
            }
        }
        guard line.lengthBound <= Self.longestLine else {
            throw NetKitError(
                .invalidRequest,
                "The URL, the header fields and the tags of the request take \(line.lengthBound) bytes, and at most "
                    + "\(Self.longestLine) are kept with an entry. Put what is large into the body."
            )
        }
        return line
    }

    /// What a record takes at most: the large parts of a request are in files.
    private static let longestLine = 1 << 20

    private func add(_ json: [UInt8], sealedBy seal: RecordSeal, to text: inout JSONText) throws {
        text.add("sealed", try seal.seal(Data(json)).base64EncodedString())
    }
}
