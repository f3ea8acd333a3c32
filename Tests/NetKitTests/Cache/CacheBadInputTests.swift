import Foundation
import NetKitTestSupport
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of fields of absurd length and folders with absurd files: they are handled in time that grows with them, or
/// ignored, and never stored.
@Suite(.computes(for: .seconds(300)))
struct CacheBadInputTests {
    /// A reader of fields, with as much input as a test wants.
    struct Reader: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Creates input of about a number of bytes, and returns a closure that reads it.
        let make: @Sendable (Int) -> @Sendable () -> Void

        init(_ name: String, _ make: @escaping @Sendable (Int) -> @Sendable () -> Void) {
            (testDescription, self.make) = (name, make)
        }

        /// One field with a pattern again and again.
        static func oneField(_ name: String, _ pattern: String, _ first: String = "") -> Reader {
            Reader("\(name): \(first)\(pattern)…") { size in
                let text = first + String(repeating: pattern, count: size / pattern.utf8.count)
                return { Reader.readAll([name: text]) }
            }
        }

        /// Many short fields.
        static func manyFields(_ name: String, _ value: String) -> Reader {
            Reader("\(name): \(value), many times") { size in
                let count = size / (name.utf8.count + value.utf8.count)
                let headers = HTTPHeaders((0..<count).map { HTTPHeaders.Field(name, value + "\($0)") })
                return { Reader.readAll(headers) }
            }
        }

        /// Everything that reads fields of a request or a response.
        static func readAll(_ headers: HTTPHeaders) {
            let cacheRequest = CacheRequest(method: .get, headers: headers)
            let stored = StoredResponse.test([
                "ETag": "\"1\"", "Last-Modified": httpDate(-5), "Cache-Control": "max-age=9",
            ])
            _ = CacheEngine.decide(now: cacheStart, cacheRequest: cacheRequest, stored: stored)
            _ = CacheEngine.isNotModified(cacheRequest, stored, now: cacheStart)
            _ = CacheEngine.judge(.test(headers, asking: headers))
            _ = VaryNames.of(headers)
            _ = VaryNames.value(of: "accept", in: headers)
            _ = ByteRange.reading(headers["Range"] ?? "", length: 10)
            let renewal = CacheEngine.Renewal(headers: headers, requestDate: cacheStart, responseDate: cacheStart)
            for change in [CacheEngine.confirm, CacheEngine.refresh] { _ = change(stored, renewal) }
            _ = StoredFields.kept(headers, control: CacheControl(headers))
        }
    }

    /// Eight times the input takes eight times as long, not sixty-four times. The time is this thread's own. A debug
    /// build takes seconds.
    @Test(
        .serialized,
        arguments: [
            .oneField("Cache-Control", "a,"), .oneField("Cache-Control", "max-age=1,"),
            .oneField("Cache-Control", "no-cache=\"a,b\","), .oneField("Cache-Control", "\\\"", "x=\""),
            .oneField("Cache-Control", "b,", "no-cache=\""), .oneField("Cache-Control", "= "),
            .oneField("Cache-Control", "9", "max-age="), .manyFields("Cache-Control", "max-age="),
            .oneField("Vary", "x,"), .manyFields("Vary", "x-"), .oneField("Expires", "Sun, "), .oneField("Age", "9"),
            .oneField("Connection", "x,"), .manyFields("Connection", "x-"), .manyFields("X-", "v"),
            .oneField("If-None-Match", "\"0\","), .oneField("If-None-Match", "\"\\"),
            .manyFields("If-None-Match", "\"0\","), .oneField("If-Modified-Since", "x"), .oneField("Accept", "a;q=0,"),
            .oneField("Range", "0-1,", "bytes="), .oneField("ETag", "W/"), .oneField("Last-Modified", "1"),
            .oneField("Pragma", "no-"), .oneField("Date", ","),
        ] as [Reader]
    )
    func timeGrowsLinearlyWithTheInput(reader: Reader) {
        let (small, large) = (4_000, 32_000)
        let base = max(threadTime(runs: 3, of: reader.make(small)), .microseconds(100))
        let ratio = threadTime(runs: 3, of: reader.make(large)) / base
        #expect(ratio < 24, "\(ratio)")
    }

    /// More than a store keeps: they reach the caller, and no store.
    @Test(arguments: ["X-Long", "Cache-Control", "Vary", "Expires", "ETag", "Age", "Connection"])
    func aResponseWithEndlessFieldsIsNotKept(name: String) async throws {
        let folder = try TemporaryFolder()
        let long = String(repeating: "abcdefg,", count: 50_000)
        for store in [
            AnyCacheStore(MemoryCacheStore()),
            AnyCacheStore(DiskCacheStore(directory: folder.url.appending(path: "c"))),
        ] {
            let it = CachedClient(store)
            it.respond { number, _ in
                var headers: HTTPHeaders = ["Cache-Control": "max-age=60", "ETag": "\"1\""]
                headers[name] = long
                return .text("\(number)", headers)
            }
            #expect(try await it.get().response.headers[name] == long)
            #expect(try await it.get(isStreamed: true).text == "2")
            #expect(await store.statistics.entryCount == 0)
        }
    }

    @Test func aConfirmationWithEndlessFieldsIsNotTaken() async throws {
        let it = CachedClient()
        it.respond { number, request in
            if request.headers.contains("If-None-Match") {
                let long = String(repeating: "a", count: 1 << 20)
                return .text("", ["ETag": "\"1\"", "X-Long": long], status: 304)
            }
            return .text("\(number)", ["ETag": "\"1\"", "Cache-Control": "max-age=10"])
        }
        _ = try await it.get()
        it.time.advance(by: .seconds(20))
        #expect(try await it.get().text == "3")
        #expect(await it.cache.statistics.store.byteCount < 10_000)
    }

    @Test func moreNamesInVaryThanAnybodyMeansAreNone() {
        func vary(_ count: Int) -> HTTPHeaders { ["Vary": (0..<count).map { "x-\($0)" }.joined(separator: ", ")] }
        #expect(VaryNames.of(vary(64))?.count == 64)
        #expect(VaryNames.of(vary(65)) == nil)
    }

    /// A store of an app may not know the length of a body, and an empty one would be a wrong response.
    @Test(arguments: [[:], ["Range": "bytes=-1"]] as [HTTPHeaders])
    func aBodyOfNegativeLengthIsNotUsed(headers: HTTPHeaders) async throws {
        var store = AnyCacheStore(MemoryCacheStore())
        store.onOpen = {}
        store.length = -1
        let it = CachedClient(store)
        it.respond { number, _ in .text("\(number)", ["Cache-Control": "max-age=60"]) }
        _ = try await it.get()
        #expect(try await it.get("/x", headers).text == "2")
        let values = CacheService(store: store)
        try await values.set(key: "a", value: 1)
        let error = await #expect(throws: NetKitError.self) { try await values.get(key: "a", as: Int.self) }
        #expect(error?.code == .invalidResponse)
    }

    /// Objects that another program, or a person, may leave in the folder under the name of an entry.
    @Test(arguments: [
        "nothing", "a pipe", "a folder", "a link to nowhere", "a link to itself", "endless zeroes", "noise",
    ])
    func aFileThatIsNotAnEntryIsIgnored(what: String) async throws {
        let folder = try TemporaryFolder()
        let store = DiskCacheStore(directory: folder.url.appending(path: "cache"))
        let it = CachedClient(store)
        it.respond { number, _ in .text("\(number)", ["Cache-Control": "max-age=60"]) }
        _ = try await it.get()
        let names = try FileManager.default.contentsOfDirectory(atPath: store.directory.path)
        let name = try #require(names.first { CacheKey($0) != nil })
        let path = store.directory.appending(path: name).path
        try FileManager.default.removeItem(atPath: path)
        switch what {
        case "a pipe": try #require(mkfifo(path, 0o600) == 0)
        case "a folder":
            try FileManager.default.createDirectory(atPath: path + "/below", withIntermediateDirectories: true)
        case "a link to nowhere": try #require(symlink("/nowhere/at/all", path) == 0)
        case "a link to itself": try #require(symlink(path, path) == 0)
        case "endless zeroes":
            try Data().write(to: URL(fileURLWithPath: path))
            try #require(truncate(path, 1 << 40) == 0)
        case "noise":
            try Data((0..<5000).map { UInt8(truncatingIfNeeded: $0 * 31) }).write(to: URL(fileURLWithPath: path))
        default: try Data().write(to: URL(fileURLWithPath: path))
        }
        #expect(try await it.get().text == "2")
        let next = CachedClient(DiskCacheStore(directory: store.directory))
        next.respond { _, _ in .text("next", ["Cache-Control": "max-age=60"]) }
        #expect(try await next.get().text == "2")
    }

    @Test(arguments: ["", "short", "far too long to be the secret of a folder"])
    func aSecretThatIsNoneIsMadeAgain(text: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "cache")
        try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: path.appending(path: ".secret"))
        let (one, two) = (DiskCacheStore(directory: path), DiskCacheStore(directory: path))
        #expect(one.secret == two.secret)
    }

    /// Stores that are opened at the same moment in a new folder share one secret, and find each other's entries.
    @Test func storesThatBeginTogetherHaveOneSecret() async throws {
        let folder = try TemporaryFolder()
        for round in 0..<20 {
            let path = folder.url.appending(path: "\(round)")
            let secrets = await withTaskGroup(of: CacheHashKey.self) { group in
                for _ in 0..<8 { group.addTask { DiskCacheStore(directory: path).secret } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(secrets.map(\.bytes)).count == 1)
        }
    }

    /// The same, if one creates its secret between the other's check for one and its own.
    @Test func theFirstSecretOfTwoCountsForBoth() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "cache")
        let first = Shared<DiskCacheStore?>(nil)
        let meddling = FailingDisk()
        meddling.set(.beforeCreating) {
            let store = DiskCacheStore(directory: path)
            first.withLock { $0 = store }
        }
        let second = DiskCacheStore(directory: path, fileSystem: meddling)
        #expect(first.withLock { $0?.secret } == second.secret)
        #expect(DiskCacheStore(directory: path).secret == second.secret)
        let names = try FileManager.default.contentsOfDirectory(atPath: path.path).sorted()
        #expect(names == [".generations", ".lock", ".secret"])
    }

    /// The entries of others that are read count against the bound, and evicted ones are removed from the disk too.
    @Test func readsOfAnotherStoresEntriesAreCounted() async throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "cache")
        let own = DiskCacheStore(directory: path, maxBytes: 128 << 10)
        let other = DiskCacheStore(directory: path, maxBytes: 64 << 20)
        _ = (await own.statistics, await other.statistics)
        let head = CacheHead(.response(.test(["A": "1"])))
        let keys = (0..<100).map { CacheKey(["\($0)"], secret: own.secret) }
        for key in keys { try other.write(key, head, body: Data(count: 5000)) }
        for key in keys { #expect(try await own.read(key) != nil) }
        let left = try FileManager.default.contentsOfDirectory(atPath: path.path).filter { CacheKey($0) != nil }
        #expect(left.count <= 16)
        #expect(await own.statistics.entryCount == left.count)
    }
}
