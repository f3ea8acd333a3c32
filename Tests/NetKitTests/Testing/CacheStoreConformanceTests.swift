import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of the cases of `CacheStoreConformance`: NetKit's own stores pass them, and faulty stores do not.
@Suite(.timeLimit(.minutes(5)))
struct CacheStoreConformanceTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test(arguments: CacheStoreConformance.cases)
    func memoryKeeps(_ conformanceCase: CacheStoreConformance.Case) async {
        let result = await CacheStoreConformance { MemoryCacheStore() }.run(conformanceCase)
        #expect(result.isKept, "\(result)")
    }

    @Test(arguments: CacheStoreConformance.cases)
    func diskKeeps(_ conformanceCase: CacheStoreConformance.Case) async {
        let conformance = CacheStoreConformance { [folder] in
            DiskCacheStore(directory: folder.file("cache"))
        } reopen: { [folder] _ in
            DiskCacheStore(directory: folder.file("cache"))
        }
        let result = await conformance.run(conformanceCase)
        #expect(result.verdict == .kept, "\(result)")
    }

    @Test(arguments: CacheStoreConformance.cases)
    func tiersKeep(_ conformanceCase: CacheStoreConformance.Case) async {
        let result = await conformance(ofTiersWithMemory: 64 << 20).run(conformanceCase)
        #expect(result.verdict == .kept, "\(result)")
    }

    /// Large bodies are only on disk.
    @Test(arguments: CacheStoreConformance.cases)
    func tiersWithLittleMemoryKeep(_ conformanceCase: CacheStoreConformance.Case) async {
        let result = await conformance(ofTiersWithMemory: 4 << 20).run(conformanceCase)
        #expect(result.verdict == .kept, "\(result)")
    }

    /// Memory in front of a store that is none of NetKit's own, and whose bodies it holds too.
    @Test(arguments: CacheStoreConformance.cases)
    func tiersOverAnyStoreKeep(_ conformanceCase: CacheStoreConformance.Case) async {
        let conformance = CacheStoreConformance { TieredCacheStore(store: AnyCacheStore(MemoryCacheStore())) }
        let result = await conformance.run(conformanceCase)
        #expect(result.isKept, "\(result)")
    }

    private func conformance(ofTiersWithMemory maxBytes: Int) -> CacheStoreConformance {
        @Sendable func open() -> TieredCacheStore {
            let disk = DiskCacheStore(directory: folder.file("cache"))
            return TieredCacheStore(memory: MemoryCacheStore(maxBytes: maxBytes), disk: disk)
        }
        return CacheStoreConformance {
            open()
        } reopen: { _ in
            open()
        }
    }

    @Test(arguments: CacheStoreConformance.cases)
    func detectsAStoreWithAFault(_ conformanceCase: CacheStoreConformance.Case) async {
        let faults = CacheStoreFault.all.filter { $0.brokenCases.contains(conformanceCase.name) }
        #expect(faults.count > 0, "there is no store that the case could refuse")
        for fault in faults {
            let result = await fault.conformance.run(conformanceCase)
            #expect(result.verdict == .broken, "a store that \(fault.summary)")
        }
    }

    /// The faulty stores are correct except for the fault.
    @Test(arguments: CacheStoreConformance.cases)
    func isKeptWithoutAFault(_ conformanceCase: CacheStoreConformance.Case) async {
        let result = await CacheStoreFault("has no fault", breaks: []) { _ in }.conformance.run(conformanceCase)
        #expect(result.verdict == .kept, "\(result)")
    }

    @Test func namesAreUniqueAndKnown() {
        let names = CacheStoreConformance.cases.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(CacheStoreFault.all.reduce(into: Set()) { $0.formUnion($1.brokenCases) }.subtracting(names) == [])
    }

    @Test func casesThatDoNotApplyToAStoreAreSkipped() async throws {
        let small = CacheStoreConformance { MemoryCacheStore(maxBytes: 1 << 20) }
        let results = try await withThrowingTaskGroup(of: StoreConformanceResult.self) { group in
            for name in ["write.large", "reopen.entries"] {
                let conformanceCase = try #require(CacheStoreConformance.cases.first { $0.name == name })
                group.addTask { await small.run(conformanceCase) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.map(\.verdict) == [.skipped, .skipped])
        #expect(results.map(\.isKept) == results.map { _ in true })
    }
}

/// A store in memory, some of whose operations can be replaced.
struct WrongCacheStore: CacheStore {
    let right = MemoryCacheStore()
    /// The written keys in order.
    let written = Shared<[CacheKey]>([])
    var name: @Sendable (CacheKey) -> CacheKey = { $0 }
    var onSecret: (@Sendable () -> CacheHashKey)?
    var onRead: (@Sendable (CacheKey) -> CacheRecord?)?
    var onToken: (@Sendable (CacheKey) -> CacheWriteToken)?
    var onBegin: (@Sendable (CacheKey, CacheHead, CacheWriteToken?) -> (any CacheWriter)?)?
    var onWrite: (@Sendable (CacheKey, CacheHead, Data, CacheWriteToken?) -> Bool)?
    var onUpdate: (@Sendable (CacheKey, CacheHead, CacheWriteToken?) -> Void)?
    var onRemove: (@Sendable (CacheKey, CacheWriteToken?) throws -> Void)?
    var onInvalidate: (@Sendable (CacheResource) -> Void)?
    var onRemoveAll: (@Sendable () -> Void)?
    var onStatistics: (@Sendable () -> CacheStoreStatistics)?

    var secret: CacheHashKey { onSecret?() ?? right.secret }

    func read(_ key: CacheKey) async throws -> CacheRecord? {
        let key = name(key)
        return if let onRead { onRead(key) } else { right.read(key) }
    }

    func token(for key: CacheKey) async throws -> CacheWriteToken { onToken?(key) ?? right.token(for: key) }

    func write(
        _ key: CacheKey,
        _ head: CacheHead,
        length: Int64?,
        token: CacheWriteToken?
    ) async throws -> (any CacheWriter)? {
        let key = name(key)
        written.withLock { $0.append(key) }
        return if let onBegin {
            onBegin(key, head, token)
        } else {
            right.write(key, head, length: length, token: token)
        }
    }

    func write(_ key: CacheKey, _ head: CacheHead, body: Data, token: CacheWriteToken?) async throws -> Bool {
        let key = name(key)
        written.withLock { $0.append(key) }
        return onWrite?(key, head, body, token) ?? right.write(key, head, body: body, token: token)
    }

    func update(_ key: CacheKey, _ head: CacheHead, token: CacheWriteToken?) async throws {
        if let onUpdate { onUpdate(name(key), head, token) } else { right.update(name(key), head, token: token) }
    }

    func remove(_ key: CacheKey, token: CacheWriteToken?) async throws {
        if let onRemove { try onRemove(name(key), token) } else { right.remove(name(key), token: token) }
    }

    func invalidate(_ resource: CacheResource) async throws {
        if let onInvalidate { onInvalidate(resource) } else { right.invalidate(resource) }
    }

    func removeAll() async throws {
        if let onRemoveAll { onRemoveAll() } else { right.removeAll() }
    }

    var statistics: CacheStoreStatistics {
        get async { onStatistics?() ?? right.statistics }
    }
}

/// A writer whose operations are all replaced.
struct WrongCacheWriter: CacheWriter {
    var onAppend: @Sendable (Data) async throws -> Void
    var onCommit: @Sendable () async throws -> Bool
    var onAbort: @Sendable () -> Void

    /// Returns a writer that delivers what it collected.
    static func collecting(
        in buffer: Shared<Data> = Shared(Data()),
        onAppend: @escaping @Sendable (Data) -> Void = { _ in },
        onAbort: @escaping @Sendable (Data) -> Void = { _ in },
        onCommit: @escaping @Sendable (Data) -> Bool
    ) -> WrongCacheWriter {
        WrongCacheWriter {
            let piece = $0
            onAppend(
                buffer.withLock { buffer in
                    buffer.append(piece)
                    return buffer
                }
            )
        } onCommit: {
            onCommit(buffer.withLock { $0 })
        } onAbort: {
            onAbort(buffer.withLock { $0 })
        }
    }

    func append(_ chunk: Data) async throws { try await onAppend(chunk) }

    func commit() async throws -> Bool { try await onCommit() }

    func abort() { onAbort() }
}

/// A body that is read in pieces of a few bytes, each of which a closure returns.
struct WrongBodySource: ResponseBodySource {
    let position: Shared<Int64>
    let end: Int64
    let bytes: @Sendable (Range<Int>) -> Data

    init(_ part: Range<Int64>, _ bytes: @escaping @Sendable (Range<Int>) -> Data) {
        (position, end, self.bytes) = (Shared(part.lowerBound), part.upperBound, bytes)
    }

    var trailers: HTTPHeaders? { nil }

    func next() async throws -> Data? {
        let end = end
        let range = position.withLock { position in
            defer { position = min(end, position + 1000) }
            return Int(position)..<Int(min(end, position + 1000))
        }
        return range.isEmpty ? nil : bytes(range)
    }

    func cancel(_ reason: any Error) {}
}

/// A fault of a store and the cases that have to detect it.
struct CacheStoreFault: Sendable {
    let summary: String
    let brokenCases: Set<String>
    private let spoil: @Sendable (inout WrongCacheStore) -> Void
    private let reopen: @Sendable (WrongCacheStore) -> WrongCacheStore

    init(
        _ summary: String,
        breaks cases: Set<String>,
        reopen: @escaping @Sendable (WrongCacheStore) -> WrongCacheStore = { $0 },
        _ spoil: @escaping @Sendable (inout WrongCacheStore) -> Void
    ) {
        (self.summary, brokenCases, self.spoil, self.reopen) = (summary, cases, spoil, reopen)
    }

    /// Returns the conformance tests of a store with the fault, which stays after reopening.
    var conformance: CacheStoreConformance {
        CacheStoreConformance { [spoil] in
            var store = WrongCacheStore()
            spoil(&store)
            return store
        } reopen: { [reopen] store in
            guard let store = store as? WrongCacheStore else { return store }
            return reopen(store)
        }
    }

    static let all = reading + writing + unfinished + changing + refusing + ordering + counting + meanwhile + lasting
}

/// Faults of stores with concurrent operations or reopening.
extension CacheStoreFault {
    static let meanwhile: [CacheStoreFault] = [
        CacheStoreFault(
            "reads what is there by now",
            breaks: [
                "reader.overwritten-at-once", "reader.overwritten-in-pieces", "reader.updated", "reader.removed",
                "reader.invalidated", "reader.forgotten",
            ]
        ) { store in
            let right = store.right
            store.onRead = { key in
                guard let record = right.read(key) else { return nil }
                let start = record.head.encoded.count
                // Head and body in one place, and zeros as soon as nothing is there any more.
                let stream = CachedBody.stream(length: record.body.length) { part in
                    WrongBodySource(part) { range in
                        let now = right.read(key).map { $0.head.encoded + ($0.body.data ?? Data()) } ?? Data()
                        return (now + Data(count: start + range.upperBound))[start..<start + range.upperBound]
                            .dropFirst(range.lowerBound)
                    }
                }
                return CacheRecord(head: record.head, body: stream)
            }
        },
        CacheStoreFault("has one buffer for the writers of a key", breaks: ["concurrent.writers"]) { store in
            let right = store.right
            let buffers = Shared<[CacheKey: Shared<Data>]>([:])
            store.onBegin = { key, head, token in
                let buffer = buffers.withLock { buffers in
                    let buffer = buffers[key] ?? Shared(Data())
                    buffers[key] = buffer
                    return buffer
                }
                return WrongCacheWriter.collecting(in: buffer) { right.write(key, head, body: $0, token: token) }
            }
            store.onWrite = { key, head, body, token in
                let buffer = buffers.withLock { $0[key] }
                let all = buffer?.withLock { all in
                    all.append(body)
                    return all
                }
                return right.write(key, head, body: all ?? body, token: token)
            }
        },
        CacheStoreFault("has one buffer for all writers", breaks: ["concurrent.keys"]) { store in
            let right = store.right
            let buffer = Shared(Data())
            store.onBegin = { key, head, token in
                WrongCacheWriter.collecting(in: buffer) { right.write(key, head, body: $0, token: token) }
            }
        },
    ]

    static let lasting: [CacheStoreFault] = [
        CacheStoreFault("has another secret in the next process", breaks: ["reopen.secret"]) { store in
            var again = store
            again.onSecret = { CacheHashKey(1, 2) }
            return again
        } _: { _ in
        },
        CacheStoreFault("keeps nothing for the next process", breaks: ["reopen.entries", "reopen.large"]) { store in
            store.right.removeAll()
            return store
        } _: { _ in
        },
        CacheStoreFault("ends what is being written with its process", breaks: ["reopen.unfinished"]) { store in
            store
        } _: { store in
            let right = store.right
            store.onBegin = { key, head, token in
                WrongCacheWriter.collecting(onAppend: { right.write(key, head, body: $0, token: token) }) {
                    right.write(key, head, body: $0, token: token)
                }
            }
        },
        CacheStoreFault("has what was removed again in the next process", breaks: ["reopen.removed"]) { store in
            for key in store.written.withLock({ $0 }) where store.right.read(key) == nil {
                store.right.write(key, CacheHead(.value(from: .distantPast, until: .distantFuture)), body: Data())
            }
            return store
        } _: { _ in
        },
        CacheStoreFault("takes nothing in the next process", breaks: ["reopen.works"]) { store in
            var again = store
            again.onBegin = { _, _, _ in nil }
            return again
        } _: { _ in
        },
    ]
}
