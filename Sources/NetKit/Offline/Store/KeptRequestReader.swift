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

    /// The fields of a request that name files.
    private struct FileFields: Decodable {
        var bodyLength: Int64?
        var bodySum: UInt32?
        var baseFile: String?
        var baseLength: Int64?
        var baseSum: UInt32?
    }

    private struct Payload: Decodable {
        let request: QueuedRequest
        let files: FileFields

        init(from decoder: any Decoder) throws {
            request = try QueuedRequest(from: decoder)
            files = try FileFields(from: decoder)
        }
    }

    /// The files that a record names.
    func files(_ slot: JournalIndex.Slot, _ fileSystem: any DurableFileSystem) throws -> JournalText.Files {
        guard let payload: Payload = try payload(Data(slot.put.bytes(fileSystem))) else { return JournalText.Files() }
        let fields = payload.files
        return JournalText.Files(
            body: payload.request.body?.fileRange.map {
                KeptFile(($0.path as NSString).lastPathComponent, fields.bodyLength, fields.bodySum)
            },
            base: fields.baseFile.map { KeptFile($0, fields.baseLength, fields.baseSum) }
        )
    }

    private func request(_ record: Data) throws -> QueuedRequest {
        guard let payload: Payload = try payload(record) else {
            throw NetKitError(.decoding, "The record has no request.")
        }
        var request = payload.request
        let files = payload.files
        // In the journal stands the file's name alone: the folder may have been moved.
        if let range = request.body?.fileRange {
            let name = (range.path as NSString).lastPathComponent
            let file = KeptFile(name, files.bodyLength, files.bodySum)
            request.body = try bodies.body(file, contentType: request.body?.contentType)
        }
        if let name = files.baseFile.map({ ($0 as NSString).lastPathComponent }) {
            request.baseData = try bodies.data(KeptFile(name, files.baseLength, files.baseSum))
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
}
