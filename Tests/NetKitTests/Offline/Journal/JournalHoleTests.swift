import Foundation
import NetKitTestSupport
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of missing parts of a journal: every acknowledged entry is found, or the queue reports that something is
/// missing.
@Suite(.computes(for: .seconds(300)))
struct JournalHoleTests {
    /// The way in which the process that wrote the journal ended.
    enum End: CaseIterable, Sendable {
        case closed
        case killed
    }

    /// The damage to a file.
    enum Harm: CaseIterable, Sendable {
        case removed
        case zeroedBlock
        case blankedLine
        case removedLine
        case shortened
        case emptied
    }

    private static let folder = "/queue"

    private static var settings: JournalSettings {
        var settings = JournalSettings()
        settings.segmentSize = 6000
        settings.fill = (1024, 2048)
        return settings
    }

    /// A journal of several segments, with its files and its entries. The first segment may replace others.
    private static func journal(_ end: End, isCompacted: Bool) async throws -> (
        files: [String: [UInt8]], ids: Set<UUID>
    ) {
        var settings = settings
        if isCompacted { (settings.garbage, settings.piece) = (2000, 700) }
        let disk = VirtualDisk()
        let store = JSONOfflineStore(directory: URL(fileURLWithPath: folder), fileSystem: disk, settings: settings)
        var ids: Set<UUID> = []
        for number in 1...(isCompacted ? 40 : 24) {
            let request = QueuedRequest.post("/\(number)", String(repeating: "x", count: 300))
            try await store.append(request, byteCount: 300)
            ids.insert(request.id)
            guard isCompacted, number < 30, number % 3 != 0 else { continue }
            try await store.commit(request.id, sentAs: nil)
            ids.remove(request.id)
        }
        let files = disk.files
        await store.close()
        return (end == .closed ? disk.files : files, ids)
    }

    private static func open(_ files: [String: [UInt8]]) throws -> (found: Set<UUID>, told: [QuarantinedRecord]) {
        let shared = JournalShared()
        let disk = VirtualDisk(files)
        try JournalDisk(folder: folder, fileSystem: disk, settings: settings, shared: shared).open()
        let found = Set(shared.index.withLock { $0.orderedSlots }.map(\.entry.id))
        return (found, shared.quarantined.withLock { $0 })
    }

    /// Every variant of a kind of damage to a file.
    private static func harmed(_ bytes: [UInt8], _ harm: Harm) -> [[UInt8]?] {
        var lines: [Range<Int>] = []
        var start = 0
        while let end = bytes[start...].firstIndex(of: 0x0A) {
            lines.append(start..<end + 1)
            start = end + 1
        }
        switch harm {
        case .removed: return [nil]
        case .emptied: return [[]]
        case .shortened:
            return stride(from: 0, to: bytes.count, by: 293).map { Array(bytes[..<$0]) }
                + lines.map { Array(bytes[..<$0.upperBound]) }
        case .zeroedBlock:
            return stride(from: 0, to: bytes.count, by: 512).map { start in
                var bytes = bytes
                for index in start..<min(start + 512, bytes.count) { bytes[index] = 0 }
                return bytes
            }
        case .blankedLine:
            return lines.map { line in
                var bytes = bytes
                for index in line { bytes[index] = 0x20 }
                return bytes
            }
        case .removedLine: return lines.map { Array(bytes[..<$0.lowerBound] + bytes[$0.upperBound...]) }
        }
    }

    @Test(arguments: Harm.allCases, [(End.closed, false), (.closed, true), (.killed, false), (.killed, true)])
    func nothingGoesMissingWithoutAWord(harm: Harm, journal: (end: End, isCompacted: Bool)) async throws {
        let (files, ids) = try await Self.journal(journal.end, isCompacted: journal.isCompacted)
        let segments = files.keys.filter { $0.hasSuffix(".jsonl") }.sorted()
        #expect(segments.count > 1)
        var losses = 0
        for name in segments {
            for harmed in Self.harmed(try #require(files[name]), harm) {
                var files = files
                files[name] = harmed
                let (found, told) = try Self.open(files)
                guard !ids.isSubset(of: found) else { continue }
                losses += 1
                // The last line of a process that was killed may never have been acknowledged.
                let isLastLine =
                    journal.end == .killed && name == segments.last && [.blankedLine, .removedLine].contains(harm)
                    && ids.subtracting(found).count == 1
                #expect(!told.isEmpty || isLastLine, "\(name)")
            }
        }
        #expect(losses > 0)
    }

    @Test(arguments: End.allCases, [false, true])
    func aWholeJournalHasNoHoles(end: End, isCompacted: Bool) async throws {
        let (files, ids) = try await Self.journal(end, isCompacted: isCompacted)
        let (found, told) = try Self.open(files)
        #expect(found == ids)
        #expect(told.isEmpty)
    }

    @Test func aMissingFileIsReportedOnceAndRecorded() async throws {
        let (files, _) = try await Self.journal(.closed, isCompacted: false)
        let second = try #require(files.keys.filter { $0.hasSuffix(".jsonl") }.sorted().dropFirst().first)
        let shared = JournalShared()
        let disk = VirtualDisk(files.filter { $0.key != second })
        let journal = JournalDisk(folder: Self.folder, fileSystem: disk, settings: Self.settings, shared: shared)
        try journal.open()
        journal.close()
        let reasons = shared.quarantined.withLock { $0 }.map(\.reason)
        #expect(reasons.contains("the file is missing"))
        #expect(reasons.contains { $0.hasPrefix("the records ") && $0.hasSuffix(" are missing") })
        let quarantine = try #require(disk.files["/queue/quarantine.jsonl"])
        #expect(quarantine.count { $0 == 0x0A } == reasons.count)
        #expect(try Self.open(VirtualDisk(disk.files).files).told.isEmpty)
    }

    /// Each call of the first opening that changes something fails in turn, a write after half of its bytes.
    @Test func aFullDiskLeavesNoHalfLineAboutDamage() async throws {
        var (files, _) = try await Self.journal(.closed, isCompacted: false)
        let first = try #require(files.keys.filter { $0.hasSuffix(".jsonl") }.min())
        let middle = try #require(files[first]).count / 2
        files[first]?[middle] ^= 0xFF
        for number in 1...60 {
            let (folder, disk) = (try TemporaryFolder(), FaultyDisk())
            for (path, bytes) in files {
                _ = try folder.write(Data(bytes), to: (path as NSString).lastPathComponent)
            }
            func open() throws {
                let shared = JournalShared()
                let journal = JournalDisk(
                    folder: folder.path,
                    fileSystem: disk,
                    settings: Self.settings,
                    shared: shared
                )
                defer { journal.close() }
                try journal.open()
            }
            disk.fail(number, with: .short, stays: true)
            try? open()
            let calls = disk.count
            disk.mend()
            try open()
            let text = try Data(contentsOf: folder.file(JournalDisk.quarantineNames[0]))
            #expect(text.last == 0x0A, "call \(number)")
            for line in text.split(separator: 0x0A) {
                #expect((try? JSONSerialization.jsonObject(with: line)) != nil, "call \(number)")
            }
            if calls < number { break }
        }
    }

    /// A folder has the name of a file for damage. Without such a file, the damaged part would disappear with its
    /// segment, which a compaction removes.
    @Test(arguments: [1, 2])
    func damageThatCannotBeSetAsideStaysUntilItCan(blocked: Int) async throws {
        var (files, _) = try await Self.journal(.closed, isCompacted: false)
        let first = try #require(files.keys.filter { $0.hasSuffix(".jsonl") }.min())
        let middle = try #require(files[first]).count / 2
        files[first]?[middle] ^= 0xFF
        let folder = try TemporaryFolder()
        for (path, bytes) in files { _ = try folder.write(Data(bytes), to: (path as NSString).lastPathComponent) }
        let places = JournalDisk.quarantineNames.map { folder.file($0) }
        for place in places.prefix(blocked) {
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
        }
        var settings = Self.settings
        settings.garbage = 2000
        let store = JSONOfflineStore(directory: folder.url, fileSystem: FaultyDisk(), settings: settings)
        let notices = Notebook<OfflineNotice>()
        try await store.open(clock: .system) { notices.add($0) }
        var told = try await store.listing().quarantined
        if blocked == places.count {
            #expect(told.isEmpty)
            func compact() async throws {
                for number in 0..<100 {
                    let id = try await store.append(.post("/\(number)"))
                    try await store.commit(id, sentAs: nil)
                }
            }
            try await compact()
            #expect(try folder.names.contains((first as NSString).lastPathComponent))
            try FileManager.default.removeItem(at: places[0])
            try await compact()
            told = try await store.listing().quarantined
            // That makes a queue list the store again.
            #expect(notices.entries.contains { if case .work = $0 { true } else { false } })
        }
        #expect(told.contains { $0.file == (first as NSString).lastPathComponent })
        #expect(try !folder.names.contains((first as NSString).lastPathComponent))
        await store.close()
        #expect(try OfflineFolder(folder.url).quarantinedCount == told.count)
    }

    /// A tool reads the folder of a service without its lock.
    @Test func aSegmentThatBeginsWhileAFolderIsReadIsNotMissing() async throws {
        let (files, _) = try await Self.journal(.killed, isCompacted: false)
        let last = try #require(files.keys.filter { $0.hasSuffix(".jsonl") }.max())
        let lock = "\(Self.folder)/\(JournalDisk.lockName)"
        var before = files
        before[last] = nil
        before[lock] = JournalMark(segment: 1, sequence: 1).line
        let (folder, disk) = (try TemporaryFolder(), FaultyDisk())
        for (path, bytes) in before { _ = try folder.write(Data(bytes), to: (path as NSString).lastPathComponent) }
        // After the last of the listings.
        disk.afterListing(2) {
            for path in [last, lock] {
                _ = try? folder.write(Data(files[path] ?? []), to: (path as NSString).lastPathComponent)
            }
        }
        let journal = JournalDisk(
            folder: folder.path,
            fileSystem: disk,
            settings: Self.settings,
            shared: JournalShared()
        )
        let told = try JournalRecovery(journal).quarantined
        #expect(told.isEmpty)
        #expect(try folder.names.contains((last as NSString).lastPathComponent))
    }

    /// The service compacts its journal after the names were read, and before the segments are opened.
    @Test func aCompactionWhileAFolderIsReadIsNoDamage() async throws {
        let (files, ids) = try await Self.journal(.closed, isCompacted: false)
        let service = VirtualDisk(files)
        let compacted = JournalDisk(
            folder: Self.folder,
            fileSystem: service,
            settings: Self.settings,
            shared: JournalShared()
        )
        try compacted.open()
        try compacted.compact()
        compacted.close()
        let after = service.files
        let (folder, disk) = (try TemporaryFolder(), FaultyDisk())
        for (path, bytes) in files { _ = try folder.write(Data(bytes), to: (path as NSString).lastPathComponent) }
        disk.afterListing {
            for (path, bytes) in after {
                _ = try? folder.write(Data(bytes), to: (path as NSString).lastPathComponent)
            }
            for path in files.keys where after[path] == nil {
                try? FileManager.default.removeItem(at: folder.file((path as NSString).lastPathComponent))
            }
        }
        let shared = JournalShared()
        let journal = JournalDisk(folder: folder.path, fileSystem: disk, settings: Self.settings, shared: shared)
        let told = try JournalRecovery(journal).quarantined
        #expect(told.isEmpty)
        #expect(Set(shared.index.withLock { $0.orderedSlots }.map(\.entry.id)) == ids)
        #expect(try folder.names.filter { $0.hasPrefix("journal") }.count == 1)
    }

    /// The service has written only a part of a record when the folder is read for the first time.
    @Test func aRecordThatIsWrittenWhileAFolderIsReadIsNotDamaged() async throws {
        let (folder, disk) = (try TemporaryFolder(), FaultyDisk())
        let store = JSONOfflineStore(directory: folder.file("queue"))
        let id = try await store.append(.post("/1"))
        await store.close()
        let segment = folder.file("queue/\(JournalSegment.name(1))")
        let whole = try Data(contentsOf: segment)
        let part = try #require(whole.firstRange(of: Data("\"op\":\"put\"".utf8)))
        var partial = whole
        partial.replaceSubrange(part, with: Data(repeating: 0x20, count: part.count))
        try partial.writeUnsynced(to: segment)
        #expect(try !OfflineFolder(folder.file("queue")).damage.isEmpty)
        // One listing tells whether the folder is that of a queue, and the first reading has two.
        disk.afterListing(4) { try? whole.writeUnsynced(to: segment) }
        let found = try OfflineFolder(folder.file("queue"), disk)
        #expect(found.damage.isEmpty)
        #expect(found.entries.map(\.id) == [id])
    }

    /// The service writes its segment again, and removes the body, after the segment was opened.
    @Test func anEntryThatIsSentWhileAFolderIsReadIsNotDamaged() async throws {
        let (folder, disk) = (try TemporaryFolder(), FaultyDisk())
        let store = JSONOfflineStore(directory: folder.file("queue"))
        let id = try await store.append(.post("/1", String(repeating: "x", count: 100_000)))
        let copy = folder.file("copy")
        try FileManager.default.copyItem(at: folder.file("queue"), to: copy)
        try await store.commit(id, sentAs: nil)
        await store.close()
        let name = JournalSegment.name(1)
        let segment = try Data(contentsOf: folder.file("queue/\(name)"))
        // The first listing tells whether the folder is that of a queue.
        disk.afterListing(3) {
            try? FileManager.default.removeItem(at: copy.appending(path: name))
            try? segment.writeUnsynced(to: copy.appending(path: name))
            try? FileManager.default.removeItem(at: copy.appending(path: "bodies"))
        }
        let found = try OfflineFolder(copy, disk)
        #expect(found.entries.map(\.id) == [id])
        #expect(found.damagedEntries.isEmpty)
        #expect(try OfflineFolder(copy).entries.isEmpty)
    }
}
