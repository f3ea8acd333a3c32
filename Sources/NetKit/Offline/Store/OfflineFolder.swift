import Foundation

/// The content of a queue's folder, read without a lock and without changes, for tools that run beside a service.
package struct OfflineFolder: Sendable {
    /// An entry that cannot be sent, with a description of the problem.
    package typealias DamagedEntry = (id: UUID, problem: String)

    /// The entries, in order.
    package let entries: [OfflineEntry]
    /// The damaged parts that were not set aside yet.
    package let damage: [QuarantinedRecord]
    /// The number of records that only a newer version understands.
    package let unknownCount: Int
    /// The number of segments.
    package let segmentCount: Int
    /// The number of lines in the files for damage.
    package let quarantinedCount: Int
    /// The entries that cannot be read, or whose files are missing or damaged.
    package let damagedEntries: [DamagedEntry]

    private let shared: JournalShared
    private let reader: StoredRequestReader

    /// Reads a folder.
    package init(_ directory: URL) throws { try self.init(directory, SystemFileSystem()) }

    init(_ directory: URL, _ fileSystem: any DurableFileSystem) throws {
        let folder = directory.folderPath
        shared = JournalShared()
        let disk = JournalDisk(folder: folder, fileSystem: fileSystem, settings: JournalSettings(), shared: shared)
        do {
            let names = try fileSystem.names(inFolder: folder)
            guard names.contains(where: { $0 == JournalDisk.lockName || JournalSegment.number(in: $0) != nil }) else {
                throw NetKitError(.file, "\"\(folder)\" is not the folder of a queue: it has no journal.")
            }
            damage = try Self.lastingDamage(disk)
        } catch let error as FileError {
            throw NetKitError(.file, error.explanation, cause: error)
        }
        let bodies = BodiesFolder(
            folder: "\(folder)/\(JournalDisk.bodiesName)",
            fileSystem: fileSystem,
            seal: nil,
            shared: shared
        )
        reader = StoredRequestReader(bodies: bodies)
        let index = shared.index.withLock { $0 }
        entries = index.orderedSlots.map(\.entry)
        unknownCount = index.opaque.count
        segmentCount = disk.segments.count
        quarantinedCount = Self.quarantinedLineCount(in: directory)
        damagedEntries = Self.lastingDamagedEntries(disk, reader)
    }

    /// Reads the journal, and again if it is damaged, and returns the damage that both readings have found.
    ///
    /// A service that has the folder open may have written only a part of a record when the first one read it.
    private static func lastingDamage(_ disk: JournalDisk) throws(FileError) -> [QuarantinedRecord] {
        let first = try JournalRecovery(disk).quarantined
        guard !first.isEmpty else { return [] }
        return try JournalRecovery(disk).quarantined.filter { found in
            first.contains { $0.file == found.file && $0.offset == found.offset }
        }
    }

    private static func quarantinedLineCount(in directory: URL) -> Int {
        JournalDisk.quarantineNames.reduce(0) { count, name in
            let lines = try? Data(contentsOf: directory.appending(path: name))
            return count + (lines?.count { $0 == UInt8(ascii: "\n") } ?? 0)
        }
    }

    /// Returns the entries that cannot be sent even after the journal was read again.
    ///
    /// A service that has the folder open may have sent or changed an entry after its record was read.
    private static func lastingDamagedEntries(_ disk: JournalDisk, _ reader: StoredRequestReader) -> [DamagedEntry] {
        let suspects = damaged(disk.shared.index.withLock { $0.orderedSlots }, reader)
        guard !suspects.isEmpty, (try? JournalRecovery(disk)) != nil else { return suspects }
        return damaged(disk.shared.index.withLock { index in suspects.compactMap { index[$0.id] } }, reader)
    }

    private static func damaged(_ slots: [JournalIndex.Slot], _ reader: StoredRequestReader) -> [DamagedEntry] {
        slots.compactMap { slot -> DamagedEntry? in
            do {
                try reader.check(slot)
                return nil
            } catch {
                let damage = error as? StoredRequestDamage
                return (id: slot.entry.id, problem: damage?.message ?? "Its record cannot be read: \(error)")
            }
        }
    }

    /// Reads an entry; `nil` if there is no such entry.
    package func load(_ id: UUID) -> Result<StoredRequest, NetKitError>? {
        guard let slot = shared.index.withLock({ $0[id] }) else { return nil }
        return reader.load(slot)
    }
}
