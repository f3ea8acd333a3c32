import Foundation

/// Makes requests and details of the records of a journal.
struct StoredRequestReader {
    let seal: RecordSeal?
    let bodies: BodyFiles

    private struct Record<Payload: Decodable>: Decodable {
        var request: Payload?
        var detail: Payload?
        var sealed: Data?
    }

    /// An entry as it is now.
    func read(_ slot: JournalIndex.Slot, _ fileSystem: any DurableFileSystem) throws -> StoredRequest {
        var kept = StoredRequest(request: try request(Data(slot.put.bytes(fileSystem))))
        kept = kept.counting(slot.entry)
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
        /// The files that the request names, by their names alone: the folder can have been moved.
        let files: JournalText.Files

        init(from decoder: any Decoder) throws {
            request = try QueuedRequest(from: decoder)
            let fields = try FileFields(from: decoder)
            files = JournalText.Files(
                body: request.body?.fileRange.map { Self.file($0.path, fields.bodyLength, fields.bodySum) },
                base: fields.baseFile.map { Self.file($0, fields.baseLength, fields.baseSum) }
            )
        }

        private static func file(_ path: String, _ length: Int64?, _ checksum: UInt32?) -> KeptFile {
            KeptFile((path as NSString).lastPathComponent, length, checksum)
        }
    }

    /// The files that a record names.
    func files(_ slot: JournalIndex.Slot, _ fileSystem: any DurableFileSystem) throws -> JournalText.Files {
        let payload: Payload? = try payload(Data(slot.put.bytes(fileSystem)))
        return payload?.files ?? JournalText.Files()
    }

    private func request(_ record: Data) throws -> QueuedRequest {
        guard let payload: Payload = try payload(record) else {
            throw NetKitError(.decoding, "The record has no request.")
        }
        var request = payload.request
        if let file = payload.files.body {
            request.body = try bodies.body(file, contentType: request.body?.contentType)
        }
        if let file = payload.files.base { request.baseData = try bodies.data(file) }
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
