import Foundation

/// A reader that decodes requests and details from the records of a journal.
struct StoredRequestReader {
    let bodies: BodiesFolder

    private var seal: RecordSeal? { bodies.seal }

    /// The part of a record that concerns its entry, with a payload that is plain, sealed, or in a file.
    ///
    /// Records and their payloads are objects, because they are large as values.
    private final class Record<Payload: Decodable>: Decodable {
        let payload: Payload?
        let sealed: Data?
        /// The files that are named outside the payload.
        let files: EntryFiles

        private enum CodingKeys: String, CodingKey {
            case request, detail, sealed
        }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            payload =
                try values.decodeIfPresent(Payload.self, forKey: .request)
                ?? values.decodeIfPresent(Payload.self, forKey: .detail)
            sealed = try values.decodeIfPresent(Data.self, forKey: .sealed)
            files = try EntryFiles(from: decoder)
        }
    }

    private final class RequestPayload: Decodable {
        let request: QueuedRequest
        let files: EntryFiles

        init(from decoder: any Decoder) throws {
            request = try QueuedRequest(from: decoder)
            files = try EntryFiles(from: decoder)
        }
    }

    /// Returns an entry in its current state, or an error that says why it cannot be read.
    func load(_ slot: JournalIndex.Slot) -> Result<StoredRequest, NetKitError> {
        do {
            return .success(try read(slot))
        } catch let error as FileError {
            return .failure(NetKitError(.file, error.explanation, cause: error))
        } catch let error as StoredRequestDamage {
            let message = "The entry \(slot.entry.id) cannot be sent as it was made. \(error.message)"
            return .failure(NetKitError(.decoding, message, cause: error))
        } catch let error as NetKitError {
            let message = "The entry \(slot.entry.id) cannot be read. \(error.message)"
            return .failure(NetKitError(.decoding, message, cause: error))
        } catch {
            return .failure(NetKitError(.decoding, "The entry \(slot.entry.id) cannot be read.", cause: error))
        }
    }

    private func read(_ slot: JournalIndex.Slot) throws -> StoredRequest {
        let bytes = try slot.put.bytes(bodies.fileSystem)
        var stored = StoredRequest(request: try Self.plainRequest(in: bytes) ?? request(record(bytes)))
        stored = stored.counting(slot.entry)
        guard let state = slot.state else { return stored }
        do {
            stored.detail = try detail(record(state))
        } catch {
            // The request itself can still be sent.
            let date = slot.entry.settledAt ?? slot.entry.timestamp
            stored.detail = OfflineDetail(message: Self.message(of: error), date: date)
        }
        return stored
    }

    private static func message(of error: any Error) -> String {
        if let damage = error as? StoredRequestDamage { return damage.message }
        let reason = (error as? FileError)?.message ?? (error as? NetKitError)?.message ?? "\(error)"
        return "The response cannot be read: \(reason)"
    }

    /// Returns the files of an entry.
    func files(_ slot: JournalIndex.Slot) throws -> EntryFiles {
        let put: Record<RequestPayload> = try record(slot.put)
        // Version 1 names the files of a sealed request only inside the sealed part.
        var files = put.files.isEmpty ? try payload(put)?.files ?? EntryFiles() : put.files
        if let state = slot.state {
            let record: Record<OfflineDetail> = try record(state)
            files.detail = record.files.detail
        }
        return files
    }

    /// Checks that an entry can be read, and that its files are intact; without a key, only the files of a sealed
    /// entry.
    func check(_ slot: JournalIndex.Slot) throws {
        let put: Record<RequestPayload> = try record(slot.put)
        if put.sealed == nil || seal != nil {
            _ = try request(put)
        } else {
            for file in [put.files.body, put.files.base].compactMap(\.self) { try bodies.check(file) }
        }
        guard let place = slot.state else { return }
        let state: Record<OfflineDetail> = try record(place)
        if let file = state.files.detail { try bodies.check(file) }
        if state.sealed == nil || seal != nil { _ = try payload(state) }
    }

    private func record<Payload>(_ place: JournalPlace) throws -> Record<Payload> {
        try record(place.bytes(bodies.fileSystem))
    }

    private func record<Payload>(_ bytes: [UInt8]) throws -> Record<Payload> {
        try JSONDecoder().decode(Record<Payload>.self, from: Data(bytes))
    }

    /// Reads a request that is in its record with its body; `nil` if it is sealed, has files or needs a decoder.
    private static func plainRequest(in record: [UInt8]) -> QueuedRequest? {
        record.withUnsafeBytes { bytes in
            var fields = JSONFields(bytes)
            guard fields.begin() else { return nil }
            while let key = fields.nextKey() {
                if key == "request" { return QueuedRequest(&fields, nil) }
                guard fields.string() != nil || fields.integer() != nil else { return nil }
            }
            return nil
        }
    }

    private func request(_ record: Record<RequestPayload>) throws -> QueuedRequest {
        guard let payload = try payload(record) else {
            throw NetKitError(.decoding, "The record has no request.")
        }
        var request = payload.request
        let isSealed = record.sealed != nil
        if let file = payload.files.body {
            request.body = try bodies.body(file, isSealed: isSealed, contentType: request.body?.contentType)
        }
        if let file = payload.files.base { request.baseData = try bodies.data(file, isSealed: isSealed) }
        return request
    }

    private func detail(_ record: Record<OfflineDetail>) throws -> OfflineDetail? {
        guard let file = record.files.detail else { return try payload(record) }
        let bytes = try bodies.data(file, isSealed: false)
        // The record does not say whether its file was written before there was a seal.
        if let detail = try? Self.detail(bytes) { return detail }
        guard let seal else { throw Self.sealMissing("The file \(file.name)") }
        return try Self.detail(seal.opened(bytes))
    }

    private static func detail(_ json: Data) throws -> OfflineDetail {
        try JSONDecoder().decode(OfflineDetail.self, from: json)
    }

    private static func sealMissing(_ subject: String) -> NetKitError {
        let hint = "Give the store the seal with which the entry was added."
        return NetKitError(.decoding, "\(subject) is sealed, and the store was made without a seal. \(hint)")
    }

    private func payload<Payload>(_ record: Record<Payload>) throws -> Payload? {
        guard let sealed = record.sealed else { return record.payload }
        guard let seal else { throw Self.sealMissing("The record") }
        return try JSONDecoder().decode(Payload.self, from: seal.opened(sealed))
    }
}

extension RecordSeal {
    /// Returns what was sealed, or throws an error that says what may be wrong with the seal.
    package func opened(_ sealed: Data) throws -> Data {
        do {
            return try open(sealed)
        } catch {
            throw NetKitError(
                .decoding,
                "The seal of the entry cannot be opened; it may have another key.",
                cause: error
            )
        }
    }
}

extension EntryFiles: Decodable {
    private enum CodingKeys: String, CodingKey {
        case bodyFile, bodyLength, bodySum
        case baseFile, baseLength, baseSum
        case detailFile, detailLength, detailSum
    }

    /// Reads the files that a record names, without their folder, because the folder can have been moved.
    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func file(_ name: CodingKeys, _ length: CodingKeys, _ checksum: CodingKeys) throws -> EntryFile? {
            guard let path = try values.decodeIfPresent(String.self, forKey: name) else { return nil }
            return EntryFile(
                name: (path as NSString).lastPathComponent,
                length: try values.decodeIfPresent(Int64.self, forKey: length),
                checksum: try values.decodeIfPresent(UInt32.self, forKey: checksum)
            )
        }
        body = try file(.bodyFile, .bodyLength, .bodySum)
        base = try file(.baseFile, .baseLength, .baseSum)
        detail = try file(.detailFile, .detailLength, .detailSum)
    }
}
