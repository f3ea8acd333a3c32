import Foundation
import NetKitTesting

@testable import NetKit

/// Faults of stores with single entries.
extension CacheStoreFault {
    static let reading: [CacheStoreFault] = [
        CacheStoreFault("gives the latest entry for a key that it does not know", breaks: ["read.absent"]) { store in
            let (right, written) = (store.right, store.written)
            store.onRead = { key in right.read(key) ?? written.withLock { $0.last }.flatMap { right.read($0) } }
        },
        CacheStoreFault("looks at all digits of a key but the last", breaks: ["read.keys-apart"]) { store in
            store.name = { CacheKey($0.description.dropLast() + "0") ?? $0 }
        },
        CacheStoreFault("gives bodies that can be read once", breaks: ["read.repeated"]) { store in
            let right = store.right
            store.onRead = { key in
                guard let record = right.read(key), let body = record.body.data else { return nil }
                let isOpened = Shared(false)
                let stream = CachedBody.stream(length: record.body.length) { part in
                    if isOpened.withLock({ isOpened in
                        defer { isOpened = true }
                        return isOpened
                    }) {
                        throw CancellationError()
                    }
                    return WrongBodySource(part) { body[$0] }
                }
                return CacheRecord(head: record.head, body: stream)
            }
        },
        CacheStoreFault("reads every part from the beginning of the body", breaks: ["read.part"]) { store in
            let right = store.right
            store.onRead = { key in
                guard let record = right.read(key), let body = record.body.data else { return nil }
                let stream = CachedBody.stream(length: record.body.length) { part in
                    WrongBodySource(0..<Int64(part.count)) { body[$0] }
                }
                return CacheRecord(head: record.head, body: stream)
            }
        },
    ]

    static let writing: [CacheStoreFault] = [
        CacheStoreFault("loses the last byte of what is written at once", breaks: ["write.at-once"]) { store in
            let right = store.right
            store.onWrite = { right.write($0, $1, body: $2.dropLast(), token: $3) }
        },
        CacheStoreFault("loses pieces of a single byte", breaks: ["write.in-pieces"]) { store in
            let right = store.right
            store.onBegin = { key, head, token in
                guard let writer = right.write(key, head, length: nil, token: token) else { return nil }
                return WrongCacheWriter { piece in
                    if piece.count != 1 { try await writer.append(piece) }
                } onCommit: {
                    try await writer.commit()
                } onAbort: {
                    writer.abort()
                }
            }
        },
        CacheStoreFault("takes an empty body for none", breaks: ["write.empty"]) { store in
            let right = store.right
            store.onWrite = { $2.isEmpty ? false : right.write($0, $1, body: $2, token: $3) }
        },
        CacheStoreFault("cuts bodies off at 1 MiB", breaks: ["write.large"]) { store in
            let right = store.right
            store.onBegin = { key, head, token in
                WrongCacheWriter.collecting { right.write(key, head, body: $0.prefix(1 << 20), token: token) }
            }
        },
        CacheStoreFault("keeps no heads but those of responses", breaks: ["write.heads"]) { store in
            let right = store.right
            store.onWrite = { key, head, body, token in
                let known = head.response == nil ? CacheHead(.value(from: .distantPast, until: .distantPast)) : head
                return right.write(key, known, body: body, token: token)
            }
        },
        CacheStoreFault("replaces nothing", breaks: ["write.overwrites"]) { store in
            let right = store.right
            store.onWrite = { right.read($0) != nil || right.write($0, $1, body: $2, token: $3) }
        },
        CacheStoreFault("always returns that it keeps what is written", breaks: ["write.result"]) { store in
            let right = store.right
            store.onWrite = { right.write($0, $1, body: $2, token: $3) || true }
        },
    ]

    static let unfinished: [CacheStoreFault] = [
        CacheStoreFault(
            "shows what it has of an entry that is being written",
            breaks: [
                "writer.uncommitted", "writer.uncommitted-over", "writer.aborted", "writer.aborted-over",
                "writer.dropped", "reopen.unfinished",
            ]
        ) { store in
            let right = store.right
            store.onBegin = { key, head, token in
                WrongCacheWriter.collecting(onAppend: { right.write(key, head, body: $0, token: token) }) {
                    right.write(key, head, body: $0, token: token)
                }
            }
        },
        CacheStoreFault("keeps what was given up", breaks: ["writer.aborted", "writer.aborted-over"]) { store in
            let right = store.right
            store.onBegin = { key, head, token in
                WrongCacheWriter.collecting(onAbort: { right.write(key, head, body: $0, token: token) }) {
                    right.write(key, head, body: $0, token: token)
                }
            }
        },
        CacheStoreFault("begins again with a piece after it was given up", breaks: ["writer.aborted"]) { store in
            let right = store.right
            store.onBegin = { key, head, token in
                let current = Shared(right.write(key, head, length: nil, token: token))
                return WrongCacheWriter { piece in
                    let writer = current.withLock { writer in
                        writer = writer ?? right.write(key, head, length: nil, token: token)
                        return writer
                    }
                    try await writer?.append(piece)
                } onCommit: {
                    try await current.withLock { $0 }?.commit() ?? false
                } onAbort: {
                    current.withLock { writer in
                        writer?.abort()
                        writer = nil
                    }
                }
            }
        },
        CacheStoreFault("ends well after it was given up", breaks: ["writer.aborted"]) { store in
            let right = store.right
            store.onBegin = { key, head, token in
                WrongCacheWriter.collecting { right.write(key, head, body: $0, token: token) }
            }
        },
    ]

    static let changing: [CacheStoreFault] = [
        CacheStoreFault("loses the body when the head is replaced", breaks: ["update.head"]) { store in
            let right = store.right
            store.onUpdate = { right.write($0, $1, body: Data(), token: $2) }
        },
        CacheStoreFault("replaces the head of any body", breaks: ["update.other-body"]) { store in
            let right = store.right
            store.onUpdate = { key, head, token in
                guard let body = right.read(key)?.body.data else { return }
                right.write(key, head, body: body, token: token)
            }
        },
        CacheStoreFault("makes an entry of an update that finds none", breaks: ["update.absent"]) { store in
            let right = store.right
            store.onUpdate = { key, head, token in
                guard right.read(key) == nil else { return right.update(key, head, token: token) }
                right.write(key, head, body: Data(), token: token)
            }
        },
        CacheStoreFault("updates every entry of the URL", breaks: ["update.other-keys"]) { store in
            let (right, written) = (store.right, store.written)
            store.onUpdate = { key, head, token in
                for other in written.withLock({ $0 }) where other.resource == key.resource {
                    right.update(other, head, token: token)
                }
            }
        },
        CacheStoreFault("removes every entry of the URL", breaks: ["remove.entry"]) { store in
            let right = store.right
            store.onRemove = { key, _ in right.invalidate(key.resource) }
        },
        CacheStoreFault("fails to remove nothing", breaks: ["remove.absent"]) { store in
            let right = store.right
            store.onRemove = { key, token in
                guard right.read(key) != nil else { throw CancellationError() }
                right.remove(key, token: token)
            }
        },
        CacheStoreFault("removes nothing with a token", breaks: ["remove.own-token"]) { store in
            let right = store.right
            store.onRemove = { key, token in if token == nil { right.remove(key) } }
        },
        CacheStoreFault("forgets one entry less than all", breaks: ["remove.all"]) { store in
            let (right, written) = (store.right, store.written)
            store.onRemoveAll = {
                for key in written.withLock({ $0.dropFirst() }) { right.remove(key) }
            }
        },
        CacheStoreFault("removes all entries without a new generation", breaks: ["invalidate.since-changed"]) { store in
            let (right, written) = (store.right, store.written)
            store.onRemoveAll = {
                for key in written.withLock({ $0 }) { right.remove(key) }
            }
        },
        CacheStoreFault("leaves one entry of an invalidated URL", breaks: ["invalidate.entries"]) { store in
            let (right, written) = (store.right, store.written)
            store.onInvalidate = { resource in
                let last = written.withLock { $0.last { $0.resource == resource } }
                let record = last.flatMap { right.read($0) }
                right.invalidate(resource)
                guard let last, let record, let body = record.body.data else { return }
                right.write(last, record.head, body: body)
            }
        },
        CacheStoreFault(
            "makes all URLs invalid with one",
            breaks: ["invalidate.other-entries", "invalidate.admits-others"]
        ) { store in
            let right = store.right
            store.onInvalidate = { _ in right.removeAll() }
        },
    ]
}

/// Faults of stores with the order of exchanges, numbers or processes.
extension CacheStoreFault {
    static let refusing: [CacheStoreFault] = [
        CacheStoreFault(
            "ignores the tokens of removals",
            breaks: ["remove.later-stays", "remove.refuses-earlier", "remove.refuses-commit", "remove.refuses-update"]
        ) { store in
            let right = store.right
            store.onRemove = { key, _ in right.remove(key) }
        },
        CacheStoreFault("refuses all exchanges so far after a removal", breaks: ["remove.admits-later"]) { store in
            let right = store.right
            store.onRemove = { key, _ in right.invalidate(key.resource) }
        },
        CacheStoreFault(
            "ignores tokens of what is written at once",
            breaks: [
                "invalidate.refuses-at-once", "invalidate.since", "invalidate.since-overtaken",
                "remove.refuses-earlier", "token.later-stays", "token.later-stays-large",
            ]
        ) { store in
            let right = store.right
            store.onWrite = { key, head, body, _ in right.write(key, head, body: body) }
        },
        CacheStoreFault(
            "ignores tokens of what is written in pieces",
            breaks: ["invalidate.refuses-in-pieces", "invalidate.refuses-commit", "remove.refuses-commit"]
        ) { store in
            let right = store.right
            store.onBegin = { key, head, _ in right.write(key, head, length: nil) }
        },
        CacheStoreFault("looks at tokens only when a writer begins", breaks: ["invalidate.refuses-commit"]) { store in
            let right = store.right
            store.onBegin = { key, head, token in
                let isCurrent = token.map { $0.generation == right.token(for: key).generation } ?? true
                return isCurrent ? right.write(key, head, length: nil) : nil
            }
        },
        CacheStoreFault(
            "ignores tokens of updates",
            breaks: ["invalidate.refuses-update", "remove.refuses-update", "token.later-stays"]
        ) { store in
            let right = store.right
            store.onUpdate = { key, head, _ in right.update(key, head) }
        },
        CacheStoreFault("refuses an invalidated URL for good", breaks: ["invalidate.admits-later"]) { store in
            let right = store.right
            let refused = Shared<Set<CacheResource>>([])
            store.onInvalidate = { resource in
                refused.withLock { _ = $0.insert(resource) }
                right.invalidate(resource)
            }
            store.onWrite = { key, head, body, token in
                refused.withLock { $0.contains(key.resource) }
                    ? false : right.write(key, head, body: body, token: token)
            }
        },
        CacheStoreFault("refuses what has no token once a URL changed", breaks: ["invalidate.without-token"]) { store in
            let right = store.right
            store.onWrite = { key, head, body, token in
                if token == nil, right.token(for: key).generation != 0 { return false }
                return right.write(key, head, body: body, token: token)
            }
        },
        CacheStoreFault(
            "keeps nothing of a writer that an invalidation overtook, and returns that it does",
            breaks: ["invalidate.without-token-commit", "invalidate.refuses-commit"]
        ) { store in
            let right = store.right
            store.onBegin = { key, head, token in
                let token = token ?? right.token(for: key)
                return WrongCacheWriter.collecting { right.write(key, head, body: $0, token: token) || true }
            }
        },
    ]

    static let ordering: [CacheStoreFault] = [
        CacheStoreFault("gives two exchanges the same number", breaks: ["token.numbers"]) { store in
            let right = store.right
            store.onToken = { key in
                let token = right.token(for: key)
                return CacheWriteToken(number: token.number | 63, generation: token.generation)
            }
        },
        // The protocol's default compares generations, and finds here that nothing ever came in between.
        CacheStoreFault(
            "gives all tokens the same generation",
            breaks: ["token.generations", "invalidate.since-changed"]
        ) { store in
            let right = store.right
            store.onToken = { CacheWriteToken(number: right.token(for: $0).number) }
        },
        CacheStoreFault("ties a token to its key", breaks: ["token.variants"]) { store in
            let right = store.right
            let keys = Shared<[UInt64: CacheKey]>([:])
            store.onToken = { key in
                let token = right.token(for: key)
                keys.withLock { $0[token.number] = key }
                return token
            }
            store.onWrite = { key, head, body, token in
                if let token, keys.withLock({ $0[token.number] }) != key { return false }
                return right.write(key, head, body: body, token: token)
            }
        },
        CacheStoreFault(
            "gives each token a generation of its own",
            breaks: ["token.generations", "invalidate.since"]
        ) { store in
            let right = store.right
            store.onToken = { key in
                let number = right.token(for: key).number
                return CacheWriteToken(number: number, generation: number)
            }
        },
        CacheStoreFault(
            "prefers earlier exchanges",
            breaks: ["token.earlier-is-replaced", "concurrent.exchanges"]
        ) { store in
            let right = store.right
            let numbers = Shared<[CacheKey: UInt64]>([:])
            let write: @Sendable (CacheKey, CacheHead, Data, CacheWriteToken?) -> Bool = { key, head, body, token in
                numbers.withLock { numbers in
                    let number = token?.number ?? 0
                    if let known = numbers[key], known < number { return false }
                    numbers[key] = number
                    return right.write(key, head, body: body)
                }
            }
            store.onWrite = write
            store.onBegin = { key, head, token in WrongCacheWriter.collecting { write(key, head, $0, token) } }
        },
        CacheStoreFault("has another secret each time", breaks: ["secret.stable"]) { store in
            store.onSecret = { CacheHashKey() }
        },
    ]

    static let counting: [CacheStoreFault] = [
        CacheStoreFault("counts no bytes", breaks: ["statistics.counts"]) { store in
            let right = store.right
            store.onStatistics = { CacheStoreStatistics(entryCount: right.statistics.entryCount) }
        },
        CacheStoreFault("counts what was replaced", breaks: ["statistics.overwritten"]) { store in
            let (right, written) = (store.right, store.written)
            store.onStatistics = {
                var statistics = right.statistics
                statistics.entryCount = written.withLock { $0.count }
                return statistics
            }
        },
        CacheStoreFault("counts what was removed", breaks: ["statistics.removed"]) { store in
            let right = store.right
            let bytes = Shared<Int64>(0)
            store.onRemove = { key, token in
                let before = right.statistics.byteCount
                right.remove(key, token: token)
                let lost = before - right.statistics.byteCount
                bytes.withLock { $0 += lost }
            }
            store.onStatistics = {
                var statistics = right.statistics
                statistics.byteCount += bytes.withLock { $0 }
                return statistics
            }
        },
    ]
}
