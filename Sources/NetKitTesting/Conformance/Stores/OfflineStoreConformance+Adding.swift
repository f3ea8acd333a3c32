import Foundation
import NetKit

extension OfflineStoreConformance {
    static let appendCases: [Case] = [
        Case("append.order", "Entries are listed in the order in which they were added, with rising positions.") {
            let store = try await $0.store()
            let ids = try await store.add(all: (0..<20).map { .sample("/\($0)", lane: "\($0 % 3)") }).map(\.id)
            let lines = try await store.waiting()
            try expect("the entries", lines.map(\.entry.id), is: ids)
            let positions = lines.map(\.entry.position)
            try expect("rising positions", zip(positions, positions.dropFirst()).allSatisfy { $0 < $1 })
        },
        Case("append.whole", "A request is read back as it was added.") {
            let store = try await $0.store()
            var request = QueuedRequest.sample("/orders?a=b", lane: "orders", key: "order 7")
            request.headers["X-Field"] = "a \"value\""
            request.tags = ["who": "ada"]
            request.identity = "ada"
            // Neither is text.
            request.body = .data(Data([0x7B, 0x00, 0xFF, 0x7D]), contentType: "application/octet-stream")
            request.baseData = Data([0x00, 0xFE, 0xFF])
            request.timestamp = Date(timeIntervalSince1970: 1_700_000_000)
            request.baseETag = "\"1\""
            request.priority = 3
            request.maxAttempts = 4
            request.requiresAuth = false
            try await store.add(request)
            let stored = try require("the request", try await store.stored(request.id)?.request)
            try expect("the target", stored.endpoint, is: request.endpoint)
            try expect("the method", stored.method, is: request.method)
            try expect("the field", stored.headers["X-Field"], is: "a \"value\"")
            try expect("the body", stored.body?.bytes, is: request.body?.bytes)
            try expect("the content type", stored.body?.contentType, is: request.body?.contentType)
            try expect("the need for a credential", stored.requiresAuth, is: false)
            try expect("the key", stored.idempotencyKey, is: request.idempotencyKey)
            try expect("the tags", stored.tags, is: request.tags)
            try expect("the identity", stored.identity, is: "ada")
            try expect("the base", stored.baseData, is: request.baseData)
            try expect("the time of the change", stored.timestamp, is: request.timestamp)
            try expect("the ETag", stored.baseETag, is: "\"1\"")
            let entry = try require("the entry", try await store.waiting().first?.entry)
            try expect("the lane", entry.lane, is: "orders")
            try expect("the priority", entry.priority, is: 3)
            try expect("the attempts", entry.maxAttempts, is: 4)
            try expect("the subject", entry.coalescingKey, is: "order 7")
            try expect("the owner", entry.identity, is: "ada")
        },
        Case("append.file", "The file of a body may be changed once its request was added.") {
            let store = try await $0.store()
            let folder = try TemporaryFolder()
            let file = try folder.write(Data("whole".utf8), to: "body")
            var request = QueuedRequest.sample("/file")
            request.body = .file(at: file, contentType: "text/plain")
            try await store.add(request)
            _ = try folder.write(Data("other".utf8), to: "body")
            let body = try await store.stored(request.id)?.request.body
            try expect("the bytes", try await body?.collected(), is: Data("whole".utf8))
            try expect("the content type", body?.contentType, is: "text/plain")
            try expect("the files", try folder.names, is: ["body"])
        },
        Case("append.taken-file", "A file that becomes the queue's own is removed.") {
            let store = try await $0.store()
            let folder = try TemporaryFolder()
            let file = try folder.write(Data("whole".utf8), to: "body")
            var request = QueuedRequest.sample("/file")
            request.body = .file(at: file)
            request.takesFile = true
            try await store.add(request)
            try expect("the files", try folder.names, is: [])
            let body = try await store.stored(request.id)?.request.body
            try expect("the bytes", try await body?.collected(), is: Data("whole".utf8))
        },
        Case("append.name", "A duplicate identifier is refused, and the existing entry is kept.") {
            let store = try await $0.store()
            let request = QueuedRequest.sample("/first")
            try await store.add(request)
            var second = QueuedRequest.sample("/second")
            second.id = request.id
            try expect("the error", await store.refusal(of: second), is: .invalidRequest)
            try expect("the target", try await store.stored(request.id)?.request.endpoint, is: request.endpoint)
        },
        Case("append.again", "A shared store recognizes a request that it has, and does not add it again.") { trial in
            let store = try await trial.sharedStore()
            var request = QueuedRequest.sample("/first")
            let first = try await store.add(request).entry
            let again = try await store.add(request)
            try expect("its identifier", again.entry.id, is: first.id)
            try expect("its position", again.entry.position, is: first.position)
            try expect("what is replaced", again.replaced, is: [])
            request.idempotencyKey = "another key"
            let addition = OfflineAddition(request: request, byteCount: 10)
            guard case .kept(let kept) = try await store.append(addition, within: OfflineBounds()) else {
                throw ConformanceFailure.broken(expected: "the entry is kept", seen: "it is added with another key")
            }
            try expect("what is kept", kept, is: first.id)
            try expect("the number of entries", try await store.tally().count, is: 1)
        },
        Case("append.together", "Concurrently added entries are all stored, each with its own position.") {
            let store = try await $0.store()
            try await concurrently(100) { try await store.add(.sample("/\($0)", lane: "\($0 % 7)")) }
            let lines = try await store.waiting()
            try expect("the number of entries", lines.count, is: 100)
            try expect("the number of positions", Set(lines.map(\.entry.position)).count, is: 100)
        },
    ]

    static let coalescingCases: [Case] = [
        Case("coalescing.replace", "An entry replaces the waiting ones with its lane and key, and returns them.") {
            let store = try await $0.store()
            let old = try await store.add(.sample("/1", key: "k")).entry.id
            let others = try await store.add(all: [.sample("/2", key: "other"), .sample("/3", lane: "b", key: "k")])
            let new = try await store.add(.sample("/4", key: "k"))
            try expect("what is replaced", new.replaced, is: [old])
            try expect("what waits", Set(try await store.waitingIDs()), is: Set(others.map(\.id) + [new.entry.id]))
        },
        Case("coalescing.keep", "With `keep`, the waiting entry stays, and its identifier is returned.") {
            let store = try await $0.store()
            let old = try await store.add(.sample("/1", key: "k")).entry.id
            var request = QueuedRequest.sample("/2", key: "k")
            request.coalescing = .keep
            let appended = try await store.append(
                OfflineAddition(request: request, byteCount: 10),
                within: OfflineBounds()
            )
            guard case .kept(let kept) = appended else {
                throw ConformanceFailure.broken(expected: "the old entry is kept", seen: "the new one is added")
            }
            try expect("what is kept", kept, is: old)
            try expect("what waits", try await store.waitingIDs(), is: [old])
        },
        Case("coalescing.append", "With `append`, both entries stay.") {
            let store = try await $0.store()
            let old = try await store.add(.sample("/1", key: "k")).entry.id
            var request = QueuedRequest.sample("/2", key: "k")
            request.coalescing = .append
            let new = try await store.add(request)
            try expect("what is replaced", new.replaced, is: [])
            try expect("what waits", try await store.waitingIDs(), is: [old, new.entry.id])
        },
        Case("coalescing.identity", "An entry does not replace one of another identity.") {
            let store = try await $0.store()
            var request = QueuedRequest.sample("/1", key: "k")
            request.identity = "ada"
            let old = try await store.add(request).entry.id
            let new = try await store.add(.sample("/2", key: "k"))
            try expect("what is replaced", new.replaced, is: [])
            try expect("what waits", try await store.waitingIDs(), is: [old, new.entry.id])
        },
        Case("coalescing.exact", "A key or an identity of other bytes is another one, even if it looks the same.") {
            let store = try await $0.store()
            var replaced: [UUID] = []
            for (number, name) in ["caf\u{E9}", "cafe\u{301}"].enumerated() {
                replaced += try await store.add(.sample("/key/\(number)", key: name)).replaced
                var request = QueuedRequest.sample("/identity/\(number)", key: "k")
                request.identity = name
                replaced += try await store.add(request).replaced
            }
            try expect("what is replaced", replaced, is: [])
            try expect("the number of entries", try await store.waitingIDs().count, is: 4)
        },
        Case("coalescing.begun", "An entry that is being sent is not replaced until it is released.") {
            let store = try await $0.store()
            let old = try await store.add(.sample("/1", key: "k")).entry.id
            try expect("it may be sent", try await store.begin(old), is: true)
            let second = try await store.add(.sample("/2", key: "k"))
            try expect("what is replaced meanwhile", second.replaced, is: [])
            try expect("it is released", try await store.release(old, nil), is: true)
            let third = try await store.add(.sample("/3", key: "k"))
            try expect("what is replaced then", Set(third.replaced), is: [old, second.entry.id])
        },
        Case("coalescing.keep-begun", "With `keep`, an entry that is being sent does not keep out a new one.") {
            let store = try await $0.store()
            let old = try await store.add(.sample("/1", key: "k")).entry.id
            try expect("it may be sent", try await store.begin(old), is: true)
            var request = QueuedRequest.sample("/2", key: "k")
            request.coalescing = .keep
            let new = try await store.add(request)
            try expect("what is replaced", new.replaced, is: [])
            try expect("what waits", try await store.waitingIDs(), is: [old, new.entry.id])
        },
        Case("coalescing.postponed", "An entry that was released to wait for its next attempt is replaced again.") {
            let store = try await $0.store()
            let old = try await store.add(.sample("/1", key: "k")).entry
            try expect("it may be sent", try await store.begin(old.id), is: true)
            var update = OfflineUpdate(old)
            update.retryCount = 1
            update.wait = .seconds(600)
            try expect("it is released", try await store.release(old.id, update), is: true)
            let new = try await store.add(.sample("/2", key: "k"))
            try expect("what is replaced", new.replaced, is: [old.id])
        },
        Case("coalescing.settled", "A dead letter or conflict is not replaced, and keeps out no new entry.") {
            let store = try await $0.store()
            let settled = try await store.add(all: [.sample("/1", key: "a"), .sample("/2", key: "b")])
            try await store.bury(settled[0])
            try await store.dispute(settled[1])
            for rule in [CoalescingRule.keep, .replace] {
                for key in ["a", "b"] {
                    var request = QueuedRequest.sample("/\(rule)", lane: "a", key: key)
                    request.coalescing = rule
                    let waiting = try await store.waiting().filter { $0.entry.coalescingKey == key }
                    let new = try await store.add(request)
                    try expect("what is replaced", new.replaced, is: waiting.map(\.entry.id))
                }
            }
            let tally = try await store.tally()
            try expect("dead letters and conflicts", tally.deadLetterCount + tally.conflictCount, is: 2)
        },
        Case("coalescing.gone", "A replaced entry cannot be sent.") {
            let store = try await $0.store()
            let old = try await store.add(.sample("/1", key: "k")).entry.id
            try await store.add(.sample("/2", key: "k"))
            try expect("it may be sent", try await store.begin(old), is: false)
            try expect("it may be loaded", try await store.stored(old) != nil, is: false)
        },
        Case(
            "coalescing.together",
            "Each of several concurrent entries with one key is kept or returned as replaced, never both."
        ) {
            let store = try await $0.store()
            let replaced = try await withThrowingTaskGroup(of: [UUID].self) { group in
                for number in 0..<40 {
                    group.addTask { try await store.add(.sample("/\(number)", key: "k")).replaced }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            let left = try await store.waitingIDs()
            try expect("each is told once", replaced.count == Set(replaced).count, seen: "\(replaced.count)")
            try expect("all are left or told", left.count + replaced.count, is: 40)
            try expect("none is both", Set(left).isDisjoint(with: replaced))
        },
    ]

    static let boundCases: [Case] = [
        Case("bounds.count", "A full queue refuses more entries, and loses none.") {
            let store = try await $0.store()
            let bounds = OfflineBounds(maxEntries: 2)
            for number in 0..<2 { try await store.add(.sample("/\(number)"), bounds) }
            try expect("the error", await store.refusal(of: .sample("/2"), bounds), is: .queueFull)
            try expect("the number of entries", try await store.waitingIDs().count, is: 2)
        },
        Case("bounds.bytes", "A queue with the maximum number of bytes refuses more entries.") {
            let store = try await $0.store()
            let bounds = OfflineBounds(maxBytes: 25)
            for number in 0..<2 { try await store.add(.sample("/\(number)"), bounds) }
            try expect("the error", await store.refusal(of: .sample("/2"), bounds), is: .queueFull)
            try expect("the bytes", try await store.tally().byteCount, is: 20)
        },
        Case("bounds.replace", "A replaced entry makes room for the new one.") {
            let store = try await $0.store()
            let bounds = OfflineBounds(maxEntries: 1)
            try await store.add(.sample("/1", key: "k"), bounds)
            try expect("the error", await store.refusal(of: .sample("/2", key: "k"), bounds), is: nil)
        },
        Case(
            "bounds.oldest",
            "A queue that may drop drops its oldest dead letter, then its oldest entry, and returns them."
        ) {
            let store = try await $0.store()
            let bounds = OfflineBounds(maxEntries: 3, dropsOldest: true)
            let entries = try await store.add(all: [.sample("/1"), .sample("/2"), .sample("/3")])
            try await store.bury(entries[1])
            let first = try await store.add(.sample("/4"), bounds)
            try expect("what is dropped first", first.dropped, is: [entries[1].id])
            let second = try await store.add(.sample("/5"), bounds)
            try expect("what is dropped then", second.dropped, is: [entries[0].id])
            try expect("the number of entries", try await store.tally().count, is: 3)
        },
        Case("bounds.oldest-bytes", "As many of the oldest entries are dropped as a new one needs, and no more.") {
            let store = try await $0.store()
            let ids = try await store.add(all: (0..<4).map { .sample("/\($0)") }).map(\.id)
            let bounds = OfflineBounds(maxBytes: 40, dropsOldest: true)
            let new = try await store.add(.sample("/4"), bounds, byteCount: 15)
            try expect("what is dropped", Set(new.dropped), is: Set(ids[..<2]))
            try expect("what waits", try await store.waitingIDs(), is: Array(ids[2...]) + [new.entry.id])
            try expect("the bytes", try await store.tally().byteCount, is: 35)
        },
        Case("bounds.refused", "An entry that is refused neither replaces nor drops others.") {
            let store = try await $0.store()
            let ids = try await store.add(all: [.sample("/1", key: "k"), .sample("/2")]).map(\.id)
            let request = QueuedRequest.sample("/3", key: "k")
            let addition = OfflineAddition(request: request, byteCount: 26, identity: request.identity)
            let bounds = OfflineBounds(maxBytes: 25, dropsOldest: true)
            let error = await errorCode { _ = try await store.append(addition, within: bounds) }
            try expect("the error", error, is: .queueFull)
            try expect("what waits", try await store.waitingIDs(), is: ids)
        },
        Case("bounds.begun", "An entry that is being sent is not dropped.") {
            let store = try await $0.store()
            let bounds = OfflineBounds(maxEntries: 1, dropsOldest: true)
            let first = try await store.add(.sample("/1")).entry.id
            try expect("it may be sent", try await store.begin(first), is: true)
            try expect("the error", await store.refusal(of: .sample("/2"), bounds), is: .queueFull)
            try expect("what is there", try await store.tally().count, is: 1)
        },
        Case("bounds.identity", "Entries of one identity are not dropped for another.") {
            let store = try await $0.store()
            let bounds = OfflineBounds(maxEntries: 1, dropsOldest: true)
            var request = QueuedRequest.sample("/1")
            request.identity = "ada"
            try await store.add(request)
            try expect("the error", await store.refusal(of: .sample("/2"), bounds), is: .queueFull)
        },
        Case("bounds.exact", "Entries of one identity are not dropped for another that looks the same.") {
            let store = try await $0.store()
            let bounds = OfflineBounds(maxEntries: 1, dropsOldest: true)
            var (first, second) = (QueuedRequest.sample("/1"), QueuedRequest.sample("/2"))
            (first.identity, second.identity) = ("caf\u{E9}", "cafe\u{301}")
            try await store.add(first)
            try expect("the error", await store.refusal(of: second, bounds), is: .queueFull)
        },
        Case("bounds.dead-letters", "A queue with the maximum number of dead letters refuses new entries.") {
            let store = try await $0.store()
            try await store.bury(store.add(.sample("/1")).entry)
            let bounds = OfflineBounds(maxDeadLetters: 1)
            try expect("the error", await store.refusal(of: .sample("/2"), bounds), is: .queueFull)
            try expect("the dead letters", try await store.tally().deadLetterCount, is: 1)
        },
    ]
}
