import Foundation

// Dead letters that are too old or too many are dropped, each with an event.
extension OfflineQueue {
    /// The number of dead letters that a shared store removes with one call.
    ///
    /// The store looks at all of them each time. If a connection is lost after a call, those that it removed have no
    /// event.
    private static let maxTrimmed = 500
    /// The number of bytes at which no further body is read for the events of one step.
    private static let maxBytesAtOnce = 16 << 20

    /// Drops some of the dead letters that are too old or too many, if they have bounds of their own.
    ///
    /// The rest follows after the work that was reported meanwhile.
    func trimDeadLetters() async {
        let (bounds, clock) = (configuration.deadLetters, configuration.clock)
        let isDue = nextTrimming.map { $0 <= clock.now } ?? false
        guard !isClosed, isDue || hasNewDeadLetters else { return }
        hasNewDeadLetters = false
        let age = isDue ? bounds.maxAge : nil
        let maxCount = bounds.overflow.dropsOldest ? bounds.maxEntries.map { max(0, $0) } : nil
        do {
            if try await dropDeadLetters(olderThan: age, above: maxCount) {
                hasNewDeadLetters = true
                wakes.yield()
            } else if isDue {
                nextTrimming = bounds.maxAge.map {
                    clock.now.advanced(by: min(max($0 / 10, .seconds(1)), .seconds(3600)))
                }
            }
        } catch {
            guard !isClosed else { return }
            noteFailedWrite(error)
            nextTrimming = clock.now.advanced(by: configuration.refreshInterval)
            guard age != nil else { return }
            // The others may still be too many.
            hasNewDeadLetters = true
            wakes.yield()
        }
    }

    /// Drops some dead letters, and returns whether there may be more to drop.
    private func dropDeadLetters(olderThan age: Duration?, above maxCount: Int?) async throws -> Bool {
        guard age != nil || maxCount != nil else { return false }
        if store.isShared { return try await dropSharedDeadLetters(olderThan: age, above: maxCount) }
        if let age {
            let filter = OfflineFilter(states: [.deadLetter], olderThan: age)
            let old = try await store.browse(filter, after: nil, limit: Self.partSize)
            if try await drop(old, reason: "It was older than the maximum age of dead letters.") { return true }
        }
        guard let maxCount, try await store.tally().deadLetterCount > maxCount else { return false }
        let letters = try await store.browse(OfflineFilter(states: [.deadLetter]), after: nil, limit: .max)
        let excess = letters.dropLast(maxCount).prefix(Self.partSize)
        return try await drop(Array(excess), reason: "There were too many dead letters.")
    }

    /// Lets a shared store remove dead letters, because other processes remove dead letters at the same time.
    private func dropSharedDeadLetters(olderThan age: Duration?, above maxCount: Int?) async throws -> Bool {
        let removed = try await store.removeDeadLetters(olderThan: age, above: maxCount, limit: Self.maxTrimmed)
        if !removed.isEmpty { storeState.noteWritten() }
        for each in removed {
            forget(each.entry.id)
            let reason = "It was too old, or there were too many dead letters."
            emit(.dropped, each.entry, reason: reason) { $0.deadLetter = DeadLetter(each.entry, each.stored) }
        }
        return !removed.isEmpty
    }

    /// Drops the first of some dead letters with their events, and returns whether any was dropped.
    ///
    /// One that cannot be opened now stays, because its event would not have the request. If no other one is left, the
    /// reason is thrown.
    private func drop(_ entries: [OfflineEntry], reason: String) async throws -> Bool {
        let (letters, problem) = try await readLetters(entries)
        // Some may have been retried while they were read.
        let ids = entries.map(\.id).filter { id in
            letters[id] != nil && (scheduler[id].map { $0.entry.state == .deadLetter && !$0.isBusy } ?? true)
        }
        if letters.isEmpty, let problem { throw problem }
        return try await remove(ids, dropping: letters, reason: reason) > 0
    }

    /// Reads the first of some dead letters with their bodies, and returns the reason why one cannot be opened now.
    private func readLetters(_ entries: [OfflineEntry]) async throws -> ([UUID: DeadLetter], NetKitError?) {
        var letters: [UUID: DeadLetter] = [:]
        var byteCount = 0
        var problem: NetKitError?
        for entry in entries where byteCount < Self.maxBytesAtOnce {
            guard let stored = try await store.load([entry.id])[entry.id] else { continue }
            do {
                // The file of the body leaves with the entry.
                var whole = try stored.get()
                whole.request = try await whole.request.holdingFile()
                letters[entry.id] = DeadLetter(entry, .success(whole))
                byteCount += entry.byteCount
            } catch let error as NetKitError where error.code != .file {
                letters[entry.id] = DeadLetter(entry, stored)
            } catch {
                problem = error as? NetKitError ?? NetKitError(.file, "A dead letter cannot be opened.", cause: error)
            }
        }
        return (letters, problem)
    }
}

extension QueuedRequest {
    /// Returns the request with the bytes of its body's file, which can still be read after the file was removed.
    ///
    /// A whole file is mapped, because it can be larger than the memory.
    fileprivate func holdingFile() async throws -> QueuedRequest {
        guard let file = body?.fileRange, file.offset == 0, file.length == nil else { return try await holdingBytes() }
        var request = self
        let bytes = try Data(contentsOf: URL(fileURLWithPath: file.path), options: .alwaysMapped)
        request.body = .data(bytes, contentType: body?.contentType)
        return request
    }
}
