import Foundation
import NetKitTestSupport
import NetKitTesting
import Testing

@testable import NetKit

/// Tests that cut the power after every single call to the disk, and leave the disk in each possible state.
/// Acknowledged entries are found.
///
/// With `NETKIT_LONG=1` each moment has 200 choices of sectors for each number of names, instead of one.
@Suite(.computes(for: .seconds(1200)))
struct PowerCutTests {
    private static let seeds: UInt64 = ProcessInfo.processInfo.environment["NETKIT_LONG"] == "1" ? 200 : 1

    /// The promises at a moment.
    private struct Promises {
        /// The entries, with the length of the file of their body.
        var entries: [UUID: Int] = [:]
        /// The number of calls to the disk so far.
        var moment = 0
        var cutCount = 0
        var lost: [String] = []
    }

    @Test(arguments: [false, true])
    func acknowledgedEntriesSurvive(isSmall: Bool) async throws {
        let result = try await cuts(isSmall: isSmall, ignoring: nil)
        #expect(result.lost.isEmpty)
        #expect(result.moment > 60)
    }

    /// Each kind of sync is necessary: the test above fails without it.
    @Test(arguments: [false, true], VirtualDisk.Sync.allCases)
    func aDiskThatDoesNotSyncLosesEntries(isSmall: Bool, ignored: VirtualDisk.Sync) async throws {
        let lost = try await cuts(isSmall: isSmall, ignoring: ignored).lost
        #expect(!lost.isEmpty)
        #expect(lost.contains(where: Self.isScattered))
    }

    private static func isScattered(_ loss: String) -> Bool { loss.contains("scattered") }

    private func cuts(
        isSmall: Bool,
        ignoring ignored: VirtualDisk.Sync?
    ) async throws -> Promises {
        var settings = JournalSettings()
        if isSmall {
            settings.segmentSize = 4000
            settings.fill = (512, 1024)
            settings.garbage = 1500
            settings.piece = 400
        }
        let promises = Locked(Promises())
        let disk = VirtualDisk(ignoring: ignored) { [settings] disk in
            // Of a disk that does not sync, one loss is enough.
            guard ignored == nil || promises.withLock({ !$0.lost.contains(where: Self.isScattered) }) else { return }
            let (entries, moment) = promises.withLock { promises in
                promises.moment += 1
                return (promises.entries, promises.moment)
            }
            let first = UInt64(moment) * Self.seeds
            let cuts = disk.cuts(seeds: first..<first + Self.seeds)
            promises.withLock { $0.cutCount += cuts.count }
            for cut in cuts {
                guard let problem = Self.problem(disk.files(after: cut), settings, entries) else { continue }
                promises.withLock { $0.lost.append("\(cut) after call \(moment): \(problem)") }
            }
        }
        let store = JSONOfflineStore(directory: URL(fileURLWithPath: "/queue"), fileSystem: disk, settings: settings)
        // The entries are the same in each run. Otherwise, the ones with a body could be removed before it matters.
        let random = RandomSource.seeded(7)
        var kept: [UUID] = []
        for number in 1...16 {
            let size = number % 6 == 5 ? 70_000 : 200
            let body = HTTPBody.data(Data(repeating: UInt8(ascii: "x"), count: size))
            let request = QueuedRequest(HTTPRequest(.post, "/\(number)", body: body))
            try await store.append(request, byteCount: size)
            promises.withLock { $0.entries[request.id] = size > 64 << 10 ? size : 0 }
            kept.append(request.id)
            guard number > 3 else { continue }
            let place = Int(random.unitInterval() * Double(kept.count))
            let id = kept[place]
            if number % 3 == 0 {
                var update = OfflineUpdate(OfflineEntry(request, position: 1, byteCount: size))
                update.retryCount = 1
                #expect(try await store.release(id, update))
            } else {
                // From here on, it may be removed.
                kept.remove(at: place)
                promises.withLock { $0.entries[id] = nil }
                try await store.commit(id, sentAs: nil)
            }
        }
        await store.close()
        return promises.withLock { $0 }
    }

    /// Returns what is missing from a disk, or `nil` if nothing is.
    private static func problem(
        _ files: [String: [UInt8]],
        _ settings: JournalSettings,
        _ promised: [UUID: Int]
    ) -> String? {
        let image = VirtualDisk(files)
        let shared = JournalShared()
        let journal = JournalDisk(folder: "/queue", fileSystem: image, settings: settings, shared: shared)
        do {
            try journal.open()
        } catch {
            return "it did not open: \(error)"
        }
        let found = Set(shared.index.withLock { $0.orderedSlots }.map(\.entry.id))
        if let lost = promised.keys.first(where: { !found.contains($0) }) { return "lost \(lost)" }
        for (id, size) in promised where size > 0 {
            let body = files["/queue/bodies/\(id.uuidString).body"]
            if body != [UInt8](repeating: UInt8(ascii: "x"), count: size) { return "lost the body of \(id)" }
        }
        return nil
    }
}
