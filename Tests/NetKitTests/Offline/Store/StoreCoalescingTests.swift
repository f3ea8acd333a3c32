import Dispatch
import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of requests on one subject that are added at the same time, while each write takes some time.
struct StoreCoalescingTests {
    private let folder: TemporaryFolder
    private let disk = FaultyDisk()
    private let store: JSONOfflineStore

    init() async throws {
        folder = try TemporaryFolder()
        store = JSONOfflineStore(directory: folder.file("queue"), fileSystem: disk)
        try await store.open(clock: .system) { _ in }
        disk.slowSyncs(microseconds: 5000)
    }

    private func add(
        _ count: Int,
        _ rule: CoalescingRule,
        body: Int = 2
    ) async -> [Result<OfflineAppendResult, any Error>] {
        await withTaskGroup(of: Result<OfflineAppendResult, any Error>.self) { group in
            for number in 0..<count {
                group.addTask { [store] in
                    let request = QueuedRequest(
                        // Only every other one has a body in a file, which takes longer.
                        HTTPRequest(.post, "/\(number)", body: .data(Data(count: number % 2 == 0 ? body : 2))),
                        coalescingKey: "k",
                        coalescing: rule
                    )
                    do {
                        let addition = OfflineAddition(request: request, byteCount: 2)
                        return .success(try await store.append(addition, within: OfflineBounds()))
                    } catch {
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test(arguments: [2, 100_000])
    func oneIsKeptInsteadOfAllOthers(body: Int) async throws {
        var (added, kept): ([UUID], [UUID]) = ([], [])
        for result in await add(8, .keep, body: body) {
            switch try result.get() {
            case .added(let entry, _, _): added.append(entry.id)
            case .kept(let id): kept.append(id)
            }
        }
        #expect(added.count == 1)
        #expect(kept == Array(repeating: added[0], count: 7))
        #expect(try await store.entries().map(\.id) == added)
        await store.close()
    }

    @Test(arguments: [2, 100_000])
    func oneReplacesAllOthers(body: Int) async throws {
        var (added, replaced): ([UUID], [UUID]) = ([], [])
        for result in await add(8, .replace, body: body) {
            guard case .added(let entry, let others, _) = try result.get() else { continue }
            added.append(entry.id)
            replaced += others.map(\.id)
        }
        let left = try await store.entries().map(\.id)
        #expect(left.count == 1)
        #expect(replaced.count == 7)
        #expect(Set(left + replaced) == Set(added))
        await store.close()
        // In the journal, no removal stands before the entry that it removes.
        let next = JSONOfflineStore(directory: folder.file("queue"))
        #expect(try await next.entries().map(\.id) == left)
        await next.close()
    }

    /// Of three, the last two wait for the first, and continue at the same time.
    @Test func ofThreeAtOnceOneIsLeft() async throws {
        disk.slowSyncs(microseconds: 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<3000 {
                let request = QueuedRequest(
                    HTTPRequest(.post, "/"),
                    coalescingKey: "\(number / 3)",
                    coalescing: .replace
                )
                group.addTask { [store] in
                    let addition = OfflineAddition(request: request, byteCount: 2)
                    _ = try await store.append(addition, within: OfflineBounds())
                }
            }
            try await group.waitForAll()
        }
        #expect(try await store.entries().count == 1000)
        await store.close()
    }

    @Test func thoseThatWaitContinueAfterOneFails() async throws {
        disk.fail(1)
        let results = await add(8, .keep)
        #expect(results.contains { (try? $0.get()) == nil })
        #expect(try await store.entries().count == 1)
        await store.close()
    }

    /// The body of the addition is being written when the removal begins.
    @Test func anEntryIsRemovedEvenIfTheAdditionThatReplacesItFails() async throws {
        let old = QueuedRequest(HTTPRequest(.put, "/"), coalescingKey: "k")
        try await store.append(old)
        let (began, goOn) = (Promise<Void>(), DispatchSemaphore(value: 0))
        disk.beforeSync {
            began.resolve(.success(()))
            goOn.wait()
        }
        async let added = add(1, .replace, body: 100_000)
        try await began.value()
        async let removal = store.remove([old.id])
        for _ in 0..<1000 { await Task.yield() }
        disk.fail(1)
        goOn.signal()
        let failure = await added.first
        #expect(throws: NetKitError.self) { try failure?.get() }
        #expect(try await removal.removed.map(\.id) == [old.id])
        #expect(try await store.entries().isEmpty)
        await store.close()
    }

    /// To a server, they can be the names of two files, although the strings are equal.
    @Test func aKeyOfOtherBytesIsAnotherSubject() async throws {
        for name in ["caf\u{E9}", "cafe\u{301}"] {
            let request = QueuedRequest(HTTPRequest(.put, "/files/\(name)"), coalescingKey: name, coalescing: .replace)
            let addition = OfflineAddition(request: request, byteCount: 2)
            guard case .added(_, let replaced, _) = try await store.append(addition, within: OfflineBounds()) else {
                Issue.record("nothing was added")
                return
            }
            #expect(replaced.isEmpty)
        }
        #expect(try await store.entries().count == 2)
        await store.close()
    }

    @Test func aFilterFindsOnlyTheSameBytes() async throws {
        let (name, other) = ("caf\u{E9}", "cafe\u{301}")
        let request = QueuedRequest(HTTPRequest(.put, "/"), lane: name, identity: name)
        let addition = OfflineAddition(request: request, byteCount: 2, identity: name)
        _ = try await store.append(addition, within: OfflineBounds())
        for filter in [OfflineFilter(lanes: [other]), OfflineFilter(identities: [other])] {
            #expect(try await store.browse(filter, after: nil, limit: .max).isEmpty)
        }
        let filter = OfflineFilter(lanes: [name], identities: [name])
        #expect(try await store.browse(filter, after: nil, limit: .max).count == 1)
        await store.close()
    }
}
