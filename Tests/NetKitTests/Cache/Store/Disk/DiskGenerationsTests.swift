import Dispatch
import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of invalidations of one URL by two processes at the same time.
@Suite(.timeLimit(.minutes(5)))
struct DiskGenerationsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The other process makes its change after this one has compared, and before it writes.
    @Test func ofTwoInvalidationsAtOnceNeitherKeepsAValidToken() async throws {
        let disk = FailingDisk()
        let store = DiskCacheStore(directory: folder.url, fileSystem: disk)
        let other = DiskCacheStore(directory: folder.url)
        let key = CacheKey(["1"], secret: store.secret)
        let (first, second) = (try store.token(for: key), try other.token(for: key))
        let change = Shared<Task<CacheWriteToken?, any Error>?>(nil)
        disk.set(.beforeReading) {
            disk.set(.beforeWriting) {
                let task = startImmediately { try await other.invalidate(key, since: second) }
                change.withLock { $0 = task }
            }
        }
        #expect(try await store.invalidate(key, since: first) == nil)
        let task = try #require(change.withLock { $0 })
        if let renewed = try await task.value {
            let head = CacheHead(.response(.test(["A": "1"])))
            #expect(try !other.write(key, head, body: Data("a".utf8), token: renewed))
        }
        // Afterwards, a change gets a token again.
        let later = try store.token(for: key)
        #expect(try await store.invalidate(key, since: later) != nil)
    }

    /// Every order of the single reads and writes of two changes.
    @Test func noOrderOfTwoChangesLeavesTheNumberThatOneOfThemHasReturned() throws {
        let disks = [FailingDisk(), FailingDisk()]
        let path = folder.url.folderPath
        let folders = disks.map { DiskFolder(path: path, fileSystem: $0, random: .system) }
        let resource = CacheResource(number: 7)
        var returnedCount = 0
        for order in 0..<1024 {
            let since = try folders[0].generation(of: resource)
            let changes = zip(disks, folders).map { disk, folder in
                SteppedChange(on: disk) { try? folder.invalidate(resource, since: since) }
            }
            for step in 0..<10 { changes[order >> step & 1].step() }
            for change in changes { change.finish() }
            let returned = changes.compactMap(\.number)
            returnedCount += returned.count
            #expect(try !returned.contains(folders[0].generation(of: resource)), "order \(order)")
        }
        #expect(returnedCount > 0)
    }
}

/// A change on a thread of its own, which waits before each read and write.
private final class SteppedChange: Sendable {
    private let mayContinue = DispatchSemaphore(value: 0)
    private let isWaiting = DispatchSemaphore(value: 0)
    private let isOver = Shared(false)
    private let result = Shared<UInt64?>(nil)

    /// The number that the change has returned.
    var number: UInt64? { result.withLock { $0 } }

    init(on disk: FailingDisk, _ change: @escaping @Sendable () -> UInt64?) {
        for moment in [FailingDisk.Moment.beforeReading, .beforeWriting] { wait(at: moment, of: disk) }
        let isStarted = SystemThread.start("change") { [self] in
            let number = change()
            for moment in [FailingDisk.Moment.beforeReading, .beforeWriting] { disk.set(moment) {} }
            result.withLock { $0 = number }
            end()
        }
        if !isStarted { end() }
        isWaiting.wait()
    }

    private func wait(at moment: FailingDisk.Moment, of disk: FailingDisk) {
        disk.set(moment) { [self] in
            isWaiting.signal()
            mayContinue.wait()
            wait(at: moment, of: disk)
        }
    }

    private func end() {
        isOver.withLock { $0 = true }
        isWaiting.signal()
    }

    /// Makes the next read or write, if there is one.
    func step() {
        if isOver.withLock({ $0 }) { return }
        mayContinue.signal()
        isWaiting.wait()
    }

    /// Makes the remaining reads and writes.
    func finish() {
        while !isOver.withLock({ $0 }) { step() }
    }
}
