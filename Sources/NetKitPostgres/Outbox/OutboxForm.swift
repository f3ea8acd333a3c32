import Foundation
import NetKit

/// The form of JSON in a column: as it is, sealed, or in Base64 because PostgreSQL cannot keep one of its characters.
struct OutboxForm: Sendable {
    let seal: RecordSeal?

    private static let sealedStart = Data("{\"sealed\": \"".utf8)
    private static let base64Start = Data("{\"base64\": \"".utf8)

    private struct Wrapped: Codable {
        var sealed: Data?
        var base64: Data?
    }

    /// Returns JSON as it is kept.
    func kept(_ json: Data) throws -> Data {
        if let seal { return try JSONEncoder().encode(Wrapped(sealed: seal.seal(json))) }
        // PostgreSQL has no text with this character.
        guard json.firstRange(of: Data("\\u0000".utf8)) != nil else { return json }
        return try JSONEncoder().encode(Wrapped(base64: json))
    }

    /// Returns JSON as it was before it was kept, and whether it was sealed.
    func opened(_ json: Data) throws -> (json: Data, isSealed: Bool) {
        // The server writes objects with one space after each colon, and short keys first.
        guard json.starts(with: Self.sealedStart) || json.starts(with: Self.base64Start) else { return (json, false) }
        let wrapped = try JSONDecoder().decode(Wrapped.self, from: json)
        if let base64 = wrapped.base64 { return (base64, false) }
        return (try open(wrapped.sealed ?? Data()), true)
    }

    /// Returns the bytes that were sealed.
    func open(_ sealed: Data) throws -> Data {
        guard let seal else {
            throw NetKitError(.decoding, "The entry is sealed, and the outbox was made without a seal.")
        }
        return try seal.opened(sealed)
    }
}

/// The columns of a request.
struct OutboxRequest: Sendable {
    let json: Data
    let body: Data?

    /// The maximum number of bytes of a request without its body.
    private static let maxBytes = 2 << 20

    /// Creates the columns of a request whose body was read.
    init(_ request: QueuedRequest, body: Data?, _ form: OutboxForm) throws {
        try Self.check(request, body)
        json = try form.kept(request.jsonWithoutBody)
        self.body = try form.seal.flatMap { seal in try body.map { try seal.seal($0) } } ?? body
        guard json.count <= Self.maxBytes else {
            throw NetKitError(
                .invalidRequest,
                "The URL, the header fields, the tags and the base of the request take \(json.count) bytes, and at most "
                    + "\(Self.maxBytes) are kept with an entry. Put what is large into the body."
            )
        }
    }

    private static func check(_ request: QueuedRequest, _ body: Data?) throws {
        let names = [("lane", request.lane), ("coalescing key", request.coalescingKey), ("identity", request.identity)]
        for case (let kind, let name?) in names {
            guard OutboxTable.canKeep(name) else {
                throw NetKitError(
                    .invalidRequest,
                    "The \(kind) of the request has \(name.utf8.count) bytes, or a character with the number 0. In an outbox "
                        + "in PostgreSQL it has at most \(OutboxTable.maxNameBytes) bytes, and none of them is 0."
                )
            }
        }
        if let body, body.count > PostgresOutbox.maxBodyBytes { throw tooLarge("\(body.count) bytes") }
    }

    static func tooLarge(_ size: String) -> NetKitError {
        NetKitError(
            .invalidRequest,
            "The body of the request has \(size), and an outbox in PostgreSQL keeps at most \(PostgresOutbox.maxBodyBytes) "
                + "(8 MiB). Upload large bodies to a file store first, and enqueue a request that names the file."
        )
    }

    /// Reads the bytes of a body, which may be a file.
    static func bytes(of body: HTTPBody?) async throws -> Data? {
        guard let body else { return nil }
        if let bytes = body.bytes { return bytes }
        var bytes = Data()
        for try await chunk in body.chunks {
            bytes.append(chunk)
            if bytes.count > PostgresOutbox.maxBodyBytes { throw tooLarge("more than that") }
        }
        return bytes
    }
}

extension OutboxForm {
    /// Reads a stored request from the columns that `OutboxTable.load` selects.
    func stored(_ row: Row) -> Result<StoredRequest, NetKitError> {
        do {
            return .success(try read(row))
        } catch let error as NetKitError {
            return .failure(error)
        } catch {
            // Another attempt would read the same.
            let message = "The request in the database cannot be read: \(Self.problem(error))"
            return .failure(NetKitError(.decoding, message, cause: StoredRequestDamage(message: message)))
        }
    }

    private func read(_ row: Row) throws -> StoredRequest {
        let id = try row.value("id", as: UUID.self)
        let (json, isSealed) = try opened(row.value("request"))
        var body = try row.optional("body", as: Data.self)
        if isSealed { body = try body.map { try open($0) } }
        let parts = QueuedRequest.SeparateParts(id: id, timestamp: try row.value("made_at"), body: body)
        var request = try QueuedRequest(json: json, parts)
        // The columns decide: a person may have changed or omitted the same in the JSON.
        request.idempotencyKey = request.idempotencyKey ?? id.uuidString.lowercased()
        request.lane = try row.value("lane")
        request.priority = try row.value("priority")
        request.retryCount = try row.value("attempts")
        request.conflictCount = try row.value("conflicts")
        request.maxAttempts = try row.optional("max_attempts")
        request.expiresAt = try row.optional("expires_at")
        request.coalescingKey = try row.optional("subject")
        request.coalescing = CoalescingRule(outboxLetter: try row.value("rule"))
        request.identity = try row.optional("identity")
        return StoredRequest(request: request, detail: try row.optional("detail", as: Data.self).map(detail))
    }

    private func detail(_ kept: Data) -> OfflineDetail {
        do {
            return try JSONDecoder().decode(OfflineDetail.self, from: opened(kept).json)
        } catch {
            return OfflineDetail(message: "The response cannot be read: \(Self.problem(error))", date: .distantPast)
        }
    }

    /// Describes why JSON cannot be read, without its values.
    private static func problem(_ error: any Error) -> String {
        func text(_ context: DecodingError.Context, _ key: String? = nil) -> String {
            let path = (context.codingPath.map(\.stringValue) + (key.map { [$0] } ?? [])).joined(separator: ".")
            return path.isEmpty ? context.debugDescription : "\(path): \(context.debugDescription)"
        }
        return switch error {
        case DecodingError.keyNotFound(let key, _): "\(key.stringValue) is missing."
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            text(context)
        case let error as NetKitError: error.message
        default: "\(type(of: error))"
        }
    }
}

extension CoalescingRule {
    /// The letter of the rule in the database.
    var outboxLetter: String {
        switch self {
        case .keep: "k"
        case .replace: "r"
        default: "a"
        }
    }

    init(outboxLetter letter: String) {
        self = [CoalescingRule.keep, .replace].first { $0.outboxLetter == letter } ?? .append
    }
}
