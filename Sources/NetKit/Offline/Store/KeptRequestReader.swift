import Foundation

/// Makes requests and details of the records of a journal.
struct KeptRequestReader {
    let seal: RecordSeal?
    let bodies: BodyFiles

    private struct Record<Payload: Decodable>: Decodable {
        var request: Payload?
        var detail: Payload?
        var sealed: Data?
    }

    /// An entry as it is now.
    func read(_ slot: JournalIndex.Slot, _ fileSystem: any DurableFileSystem) throws -> KeptRequest {
        var kept = KeptRequest(request: try request(Data(slot.put.bytes(fileSystem))))
        kept.request.retryCount = slot.entry.retryCount
        kept.request.conflictCount = slot.entry.conflictCount
        if let state = slot.state { kept.detail = try detail(Data(state.bytes(fileSystem))) }
        return kept
    }

    private func request(_ record: Data) throws -> QueuedRequest {
        var request: QueuedRequest = try payload(record) ?? missing()
        // In the journal stands the file's name alone: the folder may have been moved.
        if let range = request.body?.fileRange {
            let name = (range.path as NSString).lastPathComponent
            request.body = try bodies.body(name, contentType: request.body?.contentType)
        }
        return request
    }

    private func detail(_ record: Data) throws -> OfflineDetail? { try payload(record) }

    private func payload<Payload: Decodable>(_ record: Data) throws -> Payload? {
        let decoder = JSONDecoder()
        let found = try decoder.decode(Record<Payload>.self, from: record)
        if let sealed = found.sealed {
            guard let seal else {
                throw NetKitError(.decoding, "The record is sealed, and the store was made without a seal.")
            }
            return try decoder.decode(Payload.self, from: seal.open(sealed))
        }
        return found.request ?? found.detail
    }

    private func missing() throws -> QueuedRequest {
        throw NetKitError(.decoding, "The record has no request.")
    }
}
