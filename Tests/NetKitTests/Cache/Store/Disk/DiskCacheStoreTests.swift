import Dispatch
import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of the store on disk, in a separate folder for each test.
@Suite(.timeLimit(.minutes(5)))
struct DiskCacheStoreTests {
    private let folder: TemporaryFolder
    private let store: DiskCacheStore
    private let head = CacheHead(.response(.test(["A": "1"])))

    init() throws {
        folder = try TemporaryFolder()
        store = DiskCacheStore(directory: folder.url.appending(path: "cache"), maxBytes: 16 << 20)
    }

    private func key(_ number: Int) -> CacheKey { CacheKey(["\(number)"], secret: store.secret) }

    private func again() -> DiskCacheStore { DiskCacheStore(directory: store.directory, maxBytes: 16 << 20) }

    private var files: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: store.directory.path).filter { !$0.hasPrefix(".") }
        }
    }

    private func body(of key: CacheKey, in store: DiskCacheStore) async throws -> Data? {
        try await store.read(key)?.body.response().collect(upTo: 1 << 30)
    }

    private static func bytes(_ count: Int) -> Data {
        var random = RandomSource.seeded(1)
        var data = Data(count: count)
        for index in stride(from: 0, to: count, by: 97) { data[index] = UInt8.random(in: 0...255, using: &random) }
        return data
    }

    @Test(arguments: [0, 1, 63, 64, 65, 4096, 100_000, 1 << 20])
    func keepsWrittenEntriesForTheNextProcess(count: Int) async throws {
        let data = Self.bytes(count)
        try store.write(key(1), head, body: data)
        let next = again()
        #expect(next.secret == store.secret)
        #expect(try await body(of: key(1), in: next) == data)
        #expect(try await next.read(key(1))?.head.response?.headers["A"] == "1")
        #expect(await next.statistics.entryCount == 1)
        try next.remove(key(1))
        #expect(try await store.read(key(1)) == nil)
        #expect(try files == [])
    }

    @Test func aBodyThatIsKeptInMemoryIsReadInOnePiece() async throws {
        let disk = FailingDisk()
        let store = DiskCacheStore(directory: folder.url.appending(path: "counted"), fileSystem: disk)
        var reads: [Int] = []
        for (number, size) in [1, 1 << 20].enumerated() {
            try store.write(key(number), head, body: Self.bytes(size))
            let before = disk.readCount
            #expect(try await store.read(key(number))?.body.data?.count == size)
            reads.append(disk.readCount - before)
        }
        #expect(reads[0] == reads[1])
    }

    @Test func anInvalidationByAnotherProcessCounts() async throws {
        let token = try store.token(for: key(1))
        try await again().invalidate(key(1).resource)
        #expect(try await store.invalidate(key(1), since: token) == nil)
        let later = try store.token(for: key(1))
        let renewed = try #require(try await store.invalidate(key(1), since: later))
        try await again().invalidate(key(1).resource)
        #expect(try store.write(key(1), head, body: Data(), token: renewed) == false)
    }

    @Test func aLargeBodyIsReadWhileItIsUsedInWholeAndInParts() async throws {
        let store = DiskCacheStore(directory: folder.url.appending(path: "large"), maxBytes: 64 << 20)
        let data = Self.bytes(3 << 20)
        let writer = try #require(try store.write(key(1), head, length: nil))
        for start in stride(from: 0, to: data.count, by: 300_001) {
            try await writer.append(data[start..<min(data.count, start + 300_001)])
        }
        try await writer.commit()
        for _ in 0..<2 {
            let record = try #require(try await store.read(key(1)))
            #expect(record.body.data == nil && record.body.length == 3 << 20)
            #expect(try await record.body.response().collect(upTo: 4 << 20) == data)
            let part = try await record.body.response(1_000_000..<1_200_000).collect(upTo: 1 << 20)
            #expect(part == data[1_000_000..<1_200_000])
        }
    }

    @Test func anUnfinishedBodyLeavesNothing() async throws {
        let writer = try #require(try store.write(key(1), head, length: nil))
        try await writer.append(Data("ab".utf8))
        #expect(try await store.read(key(1)) == nil)
        writer.abort()
        #expect(try files == [])
        _ = try store.write(key(1), head, length: nil)
        #expect(try files == [])
    }

    /// The leftovers of a killed process are removed when a process opens the folder alone.
    @Test func leftoversGo() async throws {
        try store.write(key(1), head, body: Data("a".utf8))
        _ = await store.statistics
        let leftover = store.directory.appending(path: "tmp-0123456789abcdef")
        try Data("x".utf8).write(to: leftover)
        #expect(await again().statistics.entryCount == 1)
        #expect(FileManager.default.fileExists(atPath: leftover.path))
        try await oneAfterTheOther(leftover)
    }

    private func oneAfterTheOther(_ leftover: URL) async throws {
        let other = folder.url.appending(path: "alone")
        try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
        let file = other.appending(path: leftover.lastPathComponent)
        let foreign = other.appending(path: "tmp-notes.txt")
        for each in [file, foreign] { try Data("x".utf8).write(to: each) }
        #expect(await DiskCacheStore(directory: other).statistics.entryCount == 0)
        #expect(!FileManager.default.fileExists(atPath: file.path))
        #expect(FileManager.default.fileExists(atPath: foreign.path))
    }

    /// As a process that is being started has the descriptor, until it runs its program.
    @Test func aFolderIsGivenUpThoughACopyOfTheDescriptorLivesOn() throws {
        let files = SystemFileSystem()
        let path = folder.url.appending(path: "mark").path
        var first: OpenFile? = try files.use(path)
        let copy = dup(try #require(first).descriptor)
        defer { close(copy) }
        let second = try files.use(path)
        #expect(!files.isOnlyUser(of: second))
        first = nil
        #expect(files.isOnlyUser(of: second))
    }

    @Test func twoUsersThatAskAtTheSameTimeAreNotAlone() throws {
        let files = SystemFileSystem()
        let path = folder.url.appending(path: "mark").path
        let users = [try files.use(path), try files.use(path)]
        let alone = Shared(0)
        DispatchQueue.concurrentPerform(iterations: 2) { number in
            for _ in 0..<5000 where files.isOnlyUser(of: users[number]) { alone.withLock { $0 += 1 } }
        }
        #expect(alone.withLock { $0 } == 0)
    }

    /// Flips every bit of a file, one after the other: the entry is unchanged, or missing.
    @Test func aDamagedFileIsNotAnEntry() async throws {
        let path = store.directory.appending(path: key(1).description)
        try store.write(key(1), head, body: Data("hello".utf8))
        let whole = try Data(contentsOf: path)
        for index in whole.indices {
            var damaged = whole
            damaged[index] ^= 1 << (index % 8)
            try damaged.write(to: path)
            #expect(try await store.read(key(1)) == nil)
            #expect(!FileManager.default.fileExists(atPath: path.path))
        }
        for count in 0..<whole.count {
            try whole.prefix(count).write(to: path)
            #expect(try await store.read(key(1)) == nil)
        }
        try whole.write(to: path)
        #expect(try await body(of: key(1), in: store) == Data("hello".utf8))
        // Under another entry's name, it is not found.
        try whole.write(to: store.directory.appending(path: key(2).description))
        #expect(try await store.read(key(2)) == nil)
    }

    @Test func aDamagedLargeFileIsNotAnEntryEither() async throws {
        let store = DiskCacheStore(directory: folder.url.appending(path: "large"), maxBytes: 64 << 20)
        try store.write(key(1), head, body: Self.bytes(3 << 20))
        let path = store.directory.appending(path: key(1).description)
        var damaged = try Data(contentsOf: path)
        damaged[2_000_000] ^= 1
        try damaged.write(to: path)
        #expect(try await store.read(key(1)) == nil)
    }

    @Test func aFolderInThePlaceOfAnEntryMakesRoomWithItsContent() async throws {
        let place = store.directory.appending(path: key(1).description)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        try Data("mine".utf8).write(to: place.appending(path: "a"))
        #expect(try await store.read(key(1)) == nil)
        #expect(try store.write(key(1), head, body: Data("hello".utf8)))
        #expect(try await body(of: key(1), in: store) == Data("hello".utf8))
        let moved = try #require(try files.first { $0 != key(1).description })
        #expect(try Data(contentsOf: store.directory.appending(path: "\(moved)/a")) == Data("mine".utf8))
    }

    @Test func foreignFilesAreLeftAlone() async throws {
        let foreign = store.directory.appending(path: "notes.txt")
        try Data("mine".utf8).write(to: foreign)
        try FileManager.default.createDirectory(
            at: store.directory.appending(path: key(3).description),
            withIntermediateDirectories: true
        )
        try store.write(key(1), head, body: Data("a".utf8))
        let next = again()
        #expect(await next.statistics.entryCount == 1)
        try await next.removeAll()
        #expect(try Data(contentsOf: foreign) == Data("mine".utf8))
    }

    @Test func anUpdateIsAppendedAndLeavesTheBody() async throws {
        let data = Self.bytes(10_000)
        try store.write(key(1), head, body: data)
        for number in 2..<50 { try store.update(key(1), CacheHead(.response(.test(["A": "\(number)"])))) }
        let next = again()
        #expect(try await next.read(key(1))?.head.response?.headers["A"] == "49")
        #expect(try await body(of: key(1), in: next) == data)
        let other = StoredResponse.test(["A": "x"], bodyID: 8)
        try next.update(key(1), CacheHead(.response(other)))
        try next.update(key(2), CacheHead(.response(other)))
        #expect(try await next.read(key(1))?.head.response?.headers["A"] == "49")
        #expect(try await next.read(key(2)) == nil)
    }

    @Test func staysWithinItsBytes() async throws {
        let store = DiskCacheStore(directory: folder.url.appending(path: "small"), maxBytes: 1 << 20)
        for number in 0..<1000 { try store.write(key(number), head, body: Self.bytes(number * 37 % 20_000)) }
        #expect(await store.statistics.byteCount <= 1 << 20)
        let sizes = try FileManager.default.contentsOfDirectory(
            at: store.directory,
            includingPropertiesForKeys: [.fileSizeKey]
        ).map { try $0.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0 }
        var total = 0
        for size in sizes { total += (size + 4095) / 4096 * 4096 }
        #expect(total <= 1_101_000)
        #expect(await store.statistics.entryCount > 40)
        // A smaller bound in the next process holds as well.
        let smaller = DiskCacheStore(directory: store.directory, maxBytes: 1 << 18)
        let statistics = await smaller.statistics
        #expect(statistics.byteCount <= 1 << 18 && statistics.entryCount > 5)
        #expect(try smaller.write(key(1), head, length: 1 << 17) == nil)
    }

    @Test func twoStoresShareAFolder() async throws {
        let other = again()
        try store.write(key(1), head, body: Data("one".utf8))
        #expect(try await body(of: key(1), in: other) == Data("one".utf8))
        try other.write(key(1), head, body: Data("two".utf8))
        #expect(try await body(of: key(1), in: store) == Data("two".utf8))
        try other.remove(key(1))
        #expect(try await store.read(key(1)) == nil)
    }

    /// Each counts the bytes that the other writes as well.
    @Test func twoStoresShareTheBound() async throws {
        let path = folder.url.appending(path: "shared")
        let stores = (0..<2).map { _ in DiskCacheStore(directory: path, maxBytes: 1 << 20) }
        for number in 0..<600 { try stores[number % 2].write(key(number), head, body: Self.bytes(6000)) }
        for store in stores { _ = await store.statistics }
        let total = try FileManager.default.contentsOfDirectory(atPath: path.path).count * 8192
        #expect(total <= (1 << 20) * 125 / 100)
    }

    @Test func aFolderThatCannotBeUsedFailsNoCall() async throws {
        let file = try folder.write(Data("x".utf8), to: "file")
        let it = CachedClient(DiskCacheStore(directory: file.appending(path: "below")))
        it.respond { number, _ in .text("\(number)", ["Cache-Control": "max-age=60"]) }
        #expect(try await it.get().text == "1")
        #expect(try await it.get(isStreamed: true).text == "2")
        #expect(await it.cache.statistics.storeFailures > 1)
    }

    /// The disk fails at one operation after the other. No call fails, and no response is wrong.
    @Test func aDiskThatFailsFailsNoCall() async throws {
        for failing in 0..<60 {
            let disk = FailingDisk(at: failing)
            let path = folder.url.appending(path: "failing-\(failing)")
            let it = CachedClient(DiskCacheStore(directory: path, fileSystem: disk))
            it.respond { number, request in
                request.headers["If-None-Match"] == nil
                    ? .text("body", ["ETag": "\"1\"", "Cache-Control": "max-age=10"])
                    : .text("", ["ETag": "\"1\"", "X": "1"], status: 304)
            }
            for round in 0..<6 {
                #expect(try await it.get(isStreamed: round % 2 == 0).text == "body")
                if round == 2 { it.time.advance(by: .seconds(20)) }
                if round == 4 { _ = try await it.get(method: .put) }
            }
        }
    }

    /// The room for a new entry neither stays reserved nor depends on whether the old one can be removed.
    @Test func aFileThatCannotBeRemovedStaysInTheIndex() async throws {
        let disk = FailingDisk()
        let store = DiskCacheStore(
            directory: folder.url.appending(path: "stuck"),
            maxBytes: 1 << 20,
            fileSystem: disk
        )
        let data = Self.bytes(100_000)
        for number in 1...10 { try store.write(key(number), head, body: data) }
        let count = await store.statistics.entryCount
        #expect(count > 7)
        disk.failingRemovals.withLock { $0 = .max }
        for number in 11...20 {
            let writer = try #require(try store.write(key(number), head, length: nil))
            try await writer.append(data)
            writer.abort()
        }
        #expect(throws: FileError.self) { try store.remove(key(10)) }
        #expect(await store.statistics.entryCount == count)
        disk.failingRemovals.withLock { $0 = 0 }
        #expect(try store.write(key(21), head, body: data))
        let left = await store.statistics.entryCount
        #expect(left > 7 && left <= count)
        let files = try FileManager.default.contentsOfDirectory(atPath: store.directory.path)
        #expect(files.count { CacheKey($0) != nil } == left)
    }

    @Test func removingAllContinuesAfterAFileThatCannotBeRemoved() async throws {
        let disk = FailingDisk()
        let store = DiskCacheStore(directory: folder.url.appending(path: "one"), maxBytes: 1 << 20, fileSystem: disk)
        for number in 1...3 { try store.write(key(number), head, body: Data("a".utf8)) }
        disk.failingRemovals.withLock { $0 = 1 }
        await #expect(throws: FileError.self) { try await store.removeAll() }
        let files = try FileManager.default.contentsOfDirectory(atPath: store.directory.path)
        #expect(files.count { CacheKey($0) != nil } == 1)
        #expect(await store.statistics.entryCount == 1)
    }

    @Test func nothingThatIsSecretReachesTheDisk() async throws {
        let it = CachedClient(store)
        it.respond { _, _ in .text("public body", ["Cache-Control": "max-age=60", "Set-Cookie": "session=s3cret"]) }
        _ = try await it.get("/x?access_token=s3cret", ["Authorization": "Bearer s3cret", "Cookie": "a=s3cret"])
        let kept = try files
        #expect(kept.count == 1)
        for name in kept {
            #expect(!name.contains("s3cret"))
            let bytes = try Data(contentsOf: store.directory.appending(path: name))
            #expect(bytes.range(of: Data("public body".utf8)) != nil)
            for secret in ["s3cret", "access_token", "api.example.com"] {
                #expect(bytes.range(of: Data(secret.utf8)) == nil)
            }
        }
        let permissions = try FileManager.default.attributesOfItem(
            atPath: store.directory.appending(path: kept.first ?? "").path
        )[.posixPermissions]
        #expect(permissions as? Int == 0o600)
    }

    @Test func aThousandTenantsGetTheirOwnFromDisk() async throws {
        let big = DiskCacheStore(directory: folder.url.appending(path: "tenants"))
        try await CacheTenancyTests.storm(CachedClient(big))
    }

    @Test func theTiersAgree() async throws {
        let memory = MemoryCacheStore()
        let tiers = TieredCacheStore(memory: memory, disk: store)
        let it = CachedClient(tiers)
        it.respond { number, _ in .text("\(number)", ["Cache-Control": "max-age=60"]) }
        _ = try await it.get()
        #expect(memory.statistics.entryCount == 1)
        #expect(await store.statistics.entryCount == 1)
        memory.removeAll()
        it.time.advance(by: .seconds(40))
        // From disk, with the remaining lifetime.
        #expect(try await it.get().response.headers["Age"] == "40")
        #expect(memory.statistics.entryCount == 1)
        #expect(try await it.get().response.headers["Cache-Status"] == "NetKit; hit; ttl=20")
        it.time.advance(by: .seconds(20))
        #expect(try await it.get(isStreamed: true).text == "2")
        memory.removeAll()
        #expect(try await it.get().text == "2")
        _ = try await it.get(method: .delete)
        #expect(memory.statistics.entryCount == 0)
        #expect(await store.statistics.entryCount == 0)
    }

    @Test func checksumsDifferIfAnyBitDiffers() {
        for count in [0, 1, 7, 8, 63, 64, 65, 200] {
            let data = Self.bytes(count)
            let sum = data.withUnsafeBytes(FastChecksum.of)
            for bit in 0..<count * 8 {
                var changed = data
                changed[bit / 8] ^= 1 << UInt8(bit % 8)
                #expect(changed.withUnsafeBytes(FastChecksum.of) != sum)
            }
            #expect((data + [0]).withUnsafeBytes(FastChecksum.of) != sum)
            var pieces = FastChecksum()
            for piece in stride(from: 0, to: count, by: 13) {
                data[piece..<min(count, piece + 13)].withUnsafeBytes { pieces.add($0) }
            }
            #expect(pieces.value == sum)
        }
    }
}
