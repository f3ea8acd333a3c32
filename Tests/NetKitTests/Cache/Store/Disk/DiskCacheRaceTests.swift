import Dispatch
import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of changes in the folder between two steps of the store.
@Suite(.timeLimit(.minutes(5)))
struct DiskCacheRaceTests {
    private let folder: TemporaryFolder
    private let disk = FailingDisk()
    private let store: DiskCacheStore
    private let head = CacheHead(.response(.test(["A": "1"])))

    init() throws {
        folder = try TemporaryFolder()
        store = DiskCacheStore(directory: folder.url, fileSystem: disk)
    }

    private func key(_ number: Int) -> CacheKey { CacheKey(["\(number)"], secret: store.secret) }

    private func body(_ number: Int) async throws -> Data? {
        try await store.read(key(number))?.body.response().collect(upTo: 1 << 20)
    }

    /// The secret of the store is the folder's from then on, unless another process was faster.
    @Test(arguments: [false, true], [false, true])
    func aStoreOfAFullDiskStoresOnceThereIsRoom(hasFolder: Bool, hasOther: Bool) async throws {
        let (path, disk) = (folder.url.appending(path: "full"), FailingDisk())
        if hasFolder { try FileManager.default.createDirectory(at: path, withIntermediateDirectories: false) }
        disk.isFull.withLock { $0 = true }
        let store = DiskCacheStore(directory: path, fileSystem: disk)
        let (key, data) = (CacheKey(["1"], secret: store.secret), Data("a".utf8))
        #expect(throws: FileError.self) { try store.write(key, head, body: data) }
        disk.isFull.withLock { $0 = false }
        if hasOther {
            // Neither would reach the entries of the other when it invalidates them.
            #expect(DiskCacheStore(directory: path).secret != store.secret)
            let error = #expect(throws: FileError.self) { try store.write(key, head, body: data) }
            #expect(error?.reason.hasPrefix("its secret is not that of this store") == true)
        } else {
            #expect(try store.write(key, head, body: data))
            #expect(try await store.read(key)?.body.data == data)
            let next = DiskCacheStore(directory: path)
            #expect(next.secret == store.secret)
            #expect(try await next.read(key)?.body.data == data)
        }
    }

    /// Others use the files that it cannot read, and would neither find nor invalidate its entries.
    @Test func aStoreThatCannotReadTheFilesOfItsFolderLeavesThem() async throws {
        try store.write(key(1), head, body: Data("one".utf8))
        let names = [".secret", ".generations"]
        let before = try names.map { try Data(contentsOf: folder.url.appending(path: $0)) }
        let disk = FailingDisk()
        disk.isUnreadable.withLock { $0 = true }
        let hasCreated = Shared(false)
        disk.set(.beforeCreating) { hasCreated.withLock { $0 = true } }
        let blind = DiskCacheStore(directory: folder.url, fileSystem: disk)
        let error = #expect(throws: FileError.self) { try blind.write(key(1), head, body: Data("two".utf8)) }
        #expect(error?.code == 5)
        // Those others would take a file of its own for that of a killed process.
        #expect(!hasCreated.withLock { $0 })
        #expect(try names.map { try Data(contentsOf: folder.url.appending(path: $0)) } == before)
        disk.isUnreadable.withLock { $0 = false }
        // The key was not one of the folder.
        let later = #expect(throws: FileError.self) { try blind.write(key(1), head, body: Data("two".utf8)) }
        #expect(later?.reason.hasPrefix("its secret is not that of this store") == true)
        #expect(blind.secret == store.secret)
        #expect(try await blind.read(key(1))?.body.data == Data("one".utf8))
        #expect(try blind.write(key(2), head, body: Data("two".utf8)))
        #expect(try await body(2) == Data("two".utf8))
        let next = DiskCacheStore(directory: folder.url)
        #expect(next.secret == store.secret)
        #expect(try await next.read(key(1))?.body.data == Data("one".utf8))
    }

    /// The keys of the entries that were to be removed were made with another secret.
    @Test(arguments: [false, true])
    func aStoreThatLearnsItsSecretLaterUsesNothingThatWasToBeRemoved(isInvalidation: Bool) async throws {
        try store.write(key(1), head, body: Data("one".utf8))
        let disk = FailingDisk()
        disk.isUnreadable.withLock { $0 = true }
        let blind = DiskCacheStore(directory: folder.url, fileSystem: disk)
        let former = CacheKey(["1"], secret: blind.secret)
        if isInvalidation { try await blind.invalidate(former.resource) } else { try blind.remove(former) }
        #expect(try await body(1) == Data("one".utf8))
        disk.isUnreadable.withLock { $0 = false }
        #expect(throws: FileError.self) { try blind.token(for: former) }
        #expect(blind.secret == store.secret)
        #expect(try await body(1) == nil)
    }

    /// Another process may write a response from before the change that the removal was about.
    @Test func aStoreThatLearnsItsSecretLaterRefusesWhatOthersAreWriting() async throws {
        let token = try store.token(for: key(1))
        let disk = FailingDisk()
        disk.isUnreadable.withLock { $0 = true }
        let blind = DiskCacheStore(directory: folder.url, fileSystem: disk)
        try blind.remove(CacheKey(["1"], secret: blind.secret))
        disk.isUnreadable.withLock { $0 = false }
        #expect(throws: FileError.self) { try blind.token(for: key(1)) }
        #expect(try !store.write(key(1), head, body: Data("one".utf8), token: token))
        #expect(try await blind.read(key(1))?.body.data == nil)
        #expect(try store.write(key(1), head, body: Data("two".utf8)))
        #expect(try await blind.read(key(1))?.body.data == Data("two".utf8))
    }

    @Test func aFolderThatWasRemovedIsMadeAgain() async throws {
        let other = DiskCacheStore(directory: folder.url)
        try store.write(key(1), head, body: Data("one".utf8))
        let token = try store.token(for: key(1))
        try FileManager.default.removeItem(at: folder.url)
        #expect(try await body(1) == nil)
        // The token is of the former folder, and says nothing about invalidations in this one.
        #expect(try !store.write(key(1), head, body: Data("old".utf8), token: token))
        #expect(try store.write(key(1), head, body: Data("new".utf8)))
        #expect(try await body(1) == Data("new".utf8))
        // The other one has the same secret, and nothing but the former folder until it notices.
        try await other.invalidate(key(1).resource)
        #expect(try await body(1) == nil)
        #expect(try other.write(key(1), head, body: Data("newer".utf8)))
        #expect(try await body(1) == Data("newer".utf8))
        try FileManager.default.removeItem(at: folder.url)
        try await store.removeAll()
        #expect(await store.statistics.entryCount == 0)
    }

    /// Invalidations by that process would not reach the entries.
    @Test func nothingIsStoredInAFolderThatAnotherProcessHasMadeAgain() async throws {
        let token = try store.token(for: key(1))
        try FileManager.default.removeItem(at: folder.url)
        let other = DiskCacheStore(directory: folder.url)
        #expect(other.secret != store.secret)
        #expect(try !store.write(key(1), head, body: Data("one".utf8), token: token))
        #expect(try await body(1) == nil)
        let error = #expect(throws: FileError.self) { try store.write(key(1), head, body: Data("two".utf8)) }
        #expect(error?.reason.hasPrefix("its secret is not that of this store") == true)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(files.filter { !$0.hasPrefix(".") } == [])
    }

    @Test func listsItsFolderBesideItsCallers() async throws {
        let gate = DispatchSemaphore(value: 0)
        disk.set(.afterListing) { gate.wait() }
        try store.write(key(1), head, body: Data("one".utf8))
        #expect(try await body(1) == Data("one".utf8))
        #expect(try await body(2) == nil)
        gate.signal()
        #expect(await store.statistics.entryCount == 1)
    }

    @Test func countsEntriesWrittenWhileTheFolderIsListed() async throws {
        try DiskCacheStore(directory: folder.url).write(key(1), head, body: Data("one".utf8))
        disk.set(.afterListing) { [store, head, key = key(2)] in
            _ = try? store.write(key, head, body: Data("two".utf8))
        }
        #expect(await store.statistics.entryCount == 2)
    }

    @Test func forgetsEntriesRemovedWhileTheFolderIsListed() async throws {
        try DiskCacheStore(directory: folder.url).write(key(1), head, body: Data("one".utf8))
        disk.set(.afterListing) { [store, key = key(1)] in try? store.remove(key) }
        #expect(await store.statistics.entryCount == 0)
    }

    /// The file of the newer one was removed to make room for another entry.
    @Test func anOlderExchangeDoesNotTakeThePlaceOfANewerOneThatWasEvicted() async throws {
        let store = DiskCacheStore(directory: folder.url.appending(path: "one"), maxEntries: 1)
        // Waits for the first listing, before which nothing is evicted.
        #expect(await store.statistics.entryCount == 0)
        let keys = ["1", "2"].map { CacheKey([$0], secret: store.secret) }
        let older = try store.token(for: keys[0])
        let newer = try store.token(for: keys[0])
        #expect(try store.write(keys[0], head, body: Data("new".utf8), token: newer))
        #expect(try store.write(keys[1], head, body: Data("other".utf8)))
        #expect(try await store.read(keys[0]) == nil)
        #expect(try store.write(keys[0], head, body: Data("old".utf8), token: older) == false)
    }

    /// Another process that shares the folder has removed the file of the newer one.
    @Test func anOlderExchangeDoesNotTakeThePlaceOfANewerOneWhoseFileIsGone() async throws {
        let older = try store.token(for: key(1))
        let newer = try store.token(for: key(1))
        #expect(try store.write(key(1), head, body: Data("new".utf8), token: newer))
        try DiskCacheStore(directory: folder.url).remove(key(1))
        #expect(try await body(1) == nil)
        #expect(try store.write(key(1), head, body: Data("old".utf8), token: older) == false)
    }

    /// The bound includes what other processes make of an entry that this one knows.
    @Test func countsAKnownEntryThatAnotherProcessHasReplaced() async throws {
        let path = folder.url.appending(path: "shared")
        let one = DiskCacheStore(directory: path, maxBytes: 1 << 20)
        let other = DiskCacheStore(directory: path, maxBytes: 1 << 20)
        let keys = ["known", "new"].map { CacheKey([$0], secret: one.secret) }
        try one.write(keys[0], head, body: Data())
        // Waits for the first listing.
        #expect(await one.statistics.entryCount == 1)
        try other.write(keys[0], head, body: Data(count: 200_000))
        // More than a sixteenth of the bound, after which the folder is listed again.
        try one.write(keys[1], head, body: Data(count: 100_000))
        #expect(await one.statistics.byteCount > 300_000)
        #expect(try await other.read(keys[0])?.body.length == 200_000)
    }

    /// Otherwise it would keep the key of every later change.
    @Test func keepsNoChangesAfterItsFolderCouldNotBeListed() async throws {
        let (path, aside) = (folder.url.path, folder.url.path + "-aside")
        disk.set(.beforeListing) {
            try? FileManager.default.moveItem(atPath: path, toPath: aside)
            _ = FileManager.default.createFile(atPath: path, contents: nil)
        }
        _ = await store.statistics
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: aside, toPath: path)
        for number in 1...3 { try? store.remove(key(number)) }
        #expect(store.keptChanges == 0)
    }

    /// Otherwise, the files of an earlier process would never count.
    @Test func listsItsFolderAgainIfItCouldNotBeListedAtFirst() async throws {
        try DiskCacheStore(directory: folder.url).write(key(1), head, body: Data("one".utf8))
        let (path, aside) = (folder.url.path, folder.url.path + "-aside")
        disk.set(.beforeListing) {
            try? FileManager.default.moveItem(atPath: path, toPath: aside)
            _ = FileManager.default.createFile(atPath: path, contents: nil)
        }
        #expect(await store.statistics.entryCount == 0)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: aside, toPath: path)
        #expect(await store.statistics.entryCount == 1)
    }

    @Test func keepsAnEntryThatTakesThePlaceOfADamagedOne() async throws {
        try store.write(key(1), head, body: Data("one".utf8))
        try Data("damaged".utf8).write(to: folder.url.appending(path: "\(key(1))"))
        disk.set(.beforeReading) { [store, head, key = key(1)] in
            _ = try? store.write(key, head, body: Data("two".utf8))
        }
        #expect(try await store.read(key(1)) == nil)
        #expect(try await body(1) == Data("two".utf8))
        #expect(await store.statistics.entryCount == 1)
    }

    @Test func keepsAnEntryThatIsWrittenWhileEverythingIsRemoved() async throws {
        try store.write(key(1), head, body: Data("one".utf8))
        _ = await store.statistics
        disk.set(.beforeListing) { [store, head, key = key(2)] in
            _ = try? store.write(key, head, body: Data("two".utf8))
        }
        try await store.removeAll()
        #expect(try await body(1) == nil)
        #expect(try await body(2) == Data("two".utf8))
        #expect(await store.statistics.entryCount == 1)
    }

    @Test func removesAnEntryThatIsReadWhileEverythingIsRemoved() async throws {
        try store.write(key(1), head, body: Data("one".utf8))
        _ = await store.statistics
        disk.set(.afterListing) { [store, key = key(1)] in
            let isRead = DispatchSemaphore(value: 0)
            Task {
                _ = try? await store.read(key)
                isRead.signal()
            }
            isRead.wait()
        }
        try await store.removeAll()
        #expect(try await body(1) == nil)
        #expect(await store.statistics.entryCount == 0)
    }

    @Test func verifiesALargeBodyBeforeItIsUsed() async throws {
        let data = Data(repeating: 7, count: 3 << 20)
        try store.write(key(1), head, body: data)
        let record = try #require(try await store.read(key(1)))
        #expect(try await record.body.response().collect(upTo: 4 << 20) == data)
        let path = folder.url.appending(path: "\(key(1))")
        var damaged = try Data(contentsOf: path)
        damaged[1 << 20] ^= 1
        try damaged.write(to: path)
        #expect(try await DiskCacheStore(directory: folder.url).read(key(1)) == nil)
        #expect(!FileManager.default.fileExists(atPath: path.path))
    }

    /// The error of the first call says to send it again.
    @Test func aBodyThatIsDamagedAfterItWasVerifiedIsNoEntryLater() async throws {
        try store.write(key(1), head, body: Data(repeating: 7, count: 3 << 20))
        _ = try await store.read(key(1))
        let path = folder.url.appending(path: "\(key(1))")
        var damaged = try Data(contentsOf: path)
        damaged[1 << 20] ^= 1
        try damaged.write(to: path)
        let record = try #require(try await store.read(key(1)))
        await #expect(throws: NetKitError.self) { try await record.body.response().collect(upTo: 4 << 20) }
        #expect(try await store.read(key(1)) == nil)
    }
}
