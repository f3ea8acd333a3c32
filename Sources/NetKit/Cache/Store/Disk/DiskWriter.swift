import Foundation

/// Writes an entry's file under a temporary name, and renames it when it is whole.
final class DiskWriter: CacheWriter {
    private struct State: ~Copyable {
        var sum = FastChecksum()
        var length: Int64 = 0
        var reserved: Int64 = 0
        var isOver = false
        var isTooLarge = false
    }

    private let store: DiskCacheStore
    private let key: CacheKey
    private let head: CacheHead
    private let token: CacheWriteToken?
    private let generation: UInt64
    private let file: OpenFile
    private let state = Locked(State())

    init(store: DiskCacheStore, key: CacheKey, head: CacheHead, token: CacheWriteToken?) throws(FileError) {
        (self.store, self.key, self.head, self.token) = (store, key, head, token)
        let folder = store.folder
        let file = try folder.makeLeftover()
        self.file = file
        do throws(FileError) {
            // Read after the file was made, because that may have created the folder again.
            generation = if let token { token.generation } else { try folder.generation(of: key.resource) }
        } catch {
            try? folder.fileSystem.remove(file.path)
            throw error
        }
    }

    deinit { abort() }

    func append(_ chunk: Data) throws {
        let (isOver, length) = state.withLock { ($0.isOver, $0.length) }
        guard !isOver else { return }
        guard Int64(chunk.count) <= store.maxBytes / 4 - length, reserve(chunk.count) else {
            abort()
            state.withLock { $0.isTooLarge = true }
            return
        }
        try store.folder.fileSystem.writeAll(chunk, to: file)
        state.withLock { state in
            chunk.withUnsafeBytes { state.sum.add($0) }
            state.length += Int64(chunk.count)
        }
    }

    func commit() throws -> Bool {
        let (isOver, isTooLarge, sum, length) = state.withLock {
            ($0.isOver, $0.isTooLarge, $0.sum.value, $0.length)
        }
        guard !isOver else {
            // The existing entry is older than the one that was too large.
            if isTooLarge { try store.remove(key, token: token) }
            return false
        }
        let encoded = head.encoded
        let footer = DiskFooter(
            headLength: UInt64(encoded.count),
            bodyLength: UInt64(length),
            bodySum: sum,
            headSum: encoded.fastChecksum,
            key: key,
            generation: generation
        )
        let tail = encoded + footer.bytes
        try store.folder.fileSystem.writeAll(tail, to: file)
        // An entry of an earlier generation is refused, because no read would find it.
        let isCurrent = try store.folder.generation(of: key.resource) == generation
        guard try isCurrent && store.place(file, key, size: length + Int64(tail.count), token: token) else {
            abort()
            return false
        }
        end(removesFile: false)
        return true
    }

    func abort() { end(removesFile: true) }

    private func reserve(_ count: Int) -> Bool {
        guard store.reserve(count) else { return false }
        let isTaken = state.withLock { state in
            if !state.isOver { state.reserved += Int64(count) }
            return !state.isOver
        }
        // It was aborted meanwhile, and has given back what it had reserved.
        if !isTaken { store.release(Int64(count)) }
        return true
    }

    private func end(removesFile: Bool) {
        let reserved = state.withLock { state -> Int64? in
            guard !state.isOver else { return nil }
            state.isOver = true
            return state.reserved
        }
        guard let reserved else { return }
        store.release(reserved)
        if removesFile { try? store.folder.fileSystem.remove(file.path) }
    }
}
