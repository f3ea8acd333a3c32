import Foundation
import NetKitTesting

@testable import NetKit

/// Faults of stores that get single entries wrong.
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
        CacheStoreFault("keeps no heads but those of answers", breaks: ["write.heads"]) { store in
            let right = store.right
            store.onWrite = { key, head, body, token in
                let known = head.answer == nil ? CacheHead(.value(until: .distantPast)) : head
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
