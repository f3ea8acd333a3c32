import Foundation

// The records that the journal keeps of an entry, and the files beside it that they name.
extension JSONOfflineStore {
    /// The maximum length of a record; the large parts of a request are in files.
    private static let maxRecordLength = 1 << 20

    /// Returns the record of an entry with its request, which is sealed if the store has a seal.
    func putRecord(of entry: OfflineEntry, _ request: QueuedRequest, _ files: EntryFiles) throws -> UnnumberedRecord {
        var record = try UnnumberedRecord(.put(entry), capacity: QueuedRequestJSON.capacity(request)) { text in
            if let seal = bodies.seal {
                let json = Data(QueuedRequestJSON.bytes(of: request, files: files))
                text.add("sealed", try seal.seal(json).base64EncodedString())
                // A reader without the key can check the files as well.
                QueuedRequestJSON.add(files, to: &text)
            } else {
                QueuedRequestJSON.write(request, files: files, as: "request", to: &text)
            }
        }
        if let file = files.body { record.files.append(file.name) }
        if let file = files.base { record.files.append(file.name) }
        guard record.lengthBound <= Self.maxRecordLength else {
            throw NetKitError(
                .invalidRequest,
                "The URL, the header fields and the tags of the request take \(record.lengthBound) bytes, and at most "
                    + "\(Self.maxRecordLength) are kept with an entry. Put what is large into the body."
            )
        }
        return record
    }

    /// Returns the records of an entry's update and its new files, after its large parts were written to them.
    func records(
        _ entry: OfflineEntry,
        _ update: OfflineUpdate,
        besides current: EntryFiles
    ) async throws -> ([UnnumberedRecord], EntryFiles) {
        var (records, files) = ([UnnumberedRecord](), current)
        if let request = update.request {
            files = try await keepFiles(of: request, besides: current)
            var changed = entry
            changed.expiresAt = request.expiresAt
            var record = try putRecord(of: changed, request, files)
            // Without the body that stays, no attempt to write the record would succeed.
            record.files.removeAll { $0 == current.body?.name }
            records.append(record)
        }
        let (record, detail) = try await stateRecord(entry, update, besides: current.detail)
        files.detail = detail
        return (records + [record], files)
    }

    /// Returns the record of an entry's new state, and the file to which a large detail was written.
    private func stateRecord(
        _ entry: OfflineEntry,
        _ update: OfflineUpdate,
        besides current: EntryFile?
    ) async throws -> (UnnumberedRecord, EntryFile?) {
        guard var detail = update.detail else { return (stateRecord(entry, update), nil) }
        var json = try JSONEncoder().encode(detail)
        if BodiesFolder.takes(json) {
            do {
                try await checkFolder()
                let file = try await bodies.keep(detail: json, of: entry.id, besides: current)
                var record = stateRecord(entry, update) { QueuedRequestJSON.add(detail: file, to: &$0) }
                record.files = [file.name]
                return (record, file)
            } catch {
                // Without the response's body, the detail fits into the journal, and the queue can continue.
                detail.response = detail.response?.truncated(to: 0)
                json = try JSONEncoder().encode(detail)
                if BodiesFolder.takes(json) { throw Self.unkept("The server's response", error) }
            }
        }
        let sealed = try bodies.seal.map { try $0.seal(json).base64EncodedString() }
        let record = stateRecord(entry, update) { [json] text in
            if let sealed { text.add("sealed", sealed) } else { text.add("detail", json: json) }
        }
        return (record, nil)
    }

    /// Returns the record of an entry's new state, with what a closure adds to it.
    func stateRecord(
        _ entry: OfflineEntry,
        _ update: OfflineUpdate,
        _ add: (inout JSONText) -> Void = { _ in }
    ) -> UnnumberedRecord {
        var update = update.dated(clock.withLock { $0.date })
        // The latest record replaces all earlier ones, so it repeats that the entry does not expire.
        if entry.expiresAt == nil, update.request == nil { update.removesExpiry = true }
        return UnnumberedRecord(.state(entry.id, update), add)
    }

    /// Writes the large parts of a request to files, and returns those.
    func keepFiles(of request: QueuedRequest, besides current: EntryFiles = EntryFiles()) async throws -> EntryFiles {
        guard BodiesFolder.takes(request.body) || request.baseData.map(BodiesFolder.takes) ?? false else {
            return EntryFiles()
        }
        do {
            try await checkFolder()
            return try await bodies.keep(request, besides: current)
        } catch {
            throw Self.unkept("The request's body", error)
        }
    }

    /// Checks that the folder is this store's before a large part is stored beside the journal.
    private func checkFolder() async throws { try await thread.run { try $0.openIfLost() } }

    private static func unkept(_ subject: String, _ error: any Error) -> any Error {
        guard let error = error as? FileError else { return error }
        return NetKitError(.file, "\(subject) cannot be kept. \(error.explanation)", cause: error)
    }
}
