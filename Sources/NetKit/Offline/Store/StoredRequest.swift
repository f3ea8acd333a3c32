public import Foundation

/// A request as a store reads it, with the details of a dead letter or a conflict.
public struct StoredRequest: Sendable {
    /// The request.
    public var request: QueuedRequest
    /// The details of a dead letter or a conflict.
    public var detail: OfflineDetail? {
        get { ownDetail?.value }
        set { ownDetail = newValue.map { Box($0) } }
    }

    private var ownDetail: Box<OfflineDetail>?

    /// Creates a stored request.
    public init(request: QueuedRequest, detail: OfflineDetail? = nil) {
        self.request = request
        self.detail = detail
    }

    /// Returns the stored request with the current counts and expiry of its entry, for stores that keep them apart.
    public func counting(_ entry: OfflineEntry) -> StoredRequest {
        var stored = self
        stored.request.retryCount = entry.retryCount
        stored.request.conflictCount = entry.conflictCount
        stored.request.expiresAt = entry.expiresAt
        return stored
    }
}

/// The damage of a stored request, or of a file with a part of it; its entry can never be sent as it was made.
///
/// As the `cause` of an error from `OfflineStore.load`, it makes a dead letter of the entry.
package struct StoredRequestDamage: Error {
    package let message: String

    package init(message: String) { self.message = message }
}

/// The details of a dead letter or a conflict: the reason, the time, and the response of the server.
public struct OfflineDetail: Sendable, Codable {
    /// The reason why the entry was given up, if it is a dead letter.
    public var reason: DeadLetterReason?
    /// The reason, as a sentence.
    public var message: String
    /// The time of the event.
    public var date: Date
    /// The response of the server, bounded and without sensitive fields.
    public var response: NetKitError.Response?
    /// The two versions, if the entry waits for the resolution of a conflict.
    public var conflict: SyncConflict?

    /// Creates a detail.
    public init(
        reason: DeadLetterReason? = nil,
        message: String,
        date: Date,
        response: NetKitError.Response? = nil,
        conflict: SyncConflict? = nil
    ) {
        self.reason = reason
        self.message = message
        self.date = date
        self.response = response
        self.conflict = conflict
    }

    private enum CodingKeys: String, CodingKey {
        case reason, message, date, status
        case headers, body, isTruncated, conflict
    }

    /// Reads a detail.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        reason = try values.decodeIfPresent(String.self, forKey: .reason).map { DeadLetterReason($0) }
        message = try values.decodeIfPresent(String.self, forKey: .message) ?? ""
        date = Date(milliseconds: try values.decodeIfPresent(Int64.self, forKey: .date) ?? 0)
        conflict = try values.decodeIfPresent(SyncConflict.self, forKey: .conflict)
        guard let status = try values.decodeIfPresent(Int.self, forKey: .status) else { return }
        response = NetKitError.Response(
            status: HTTPStatus(status),
            headers: HTTPHeaders(pairs: try values.decodeIfPresent([[String]].self, forKey: .headers) ?? []),
            body: try values.decodeIfPresent(KeptBytes.self, forKey: .body)?.data ?? Data(),
            isTruncated: try values.decodeIfPresent(Bool.self, forKey: .isTruncated) ?? false
        )
    }

    /// Writes the detail.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encodeIfPresent(reason?.description, forKey: .reason)
        try values.encode(message, forKey: .message)
        try values.encode(date.milliseconds, forKey: .date)
        try values.encodeIfPresent(conflict, forKey: .conflict)
        guard let response else { return }
        try values.encode(response.status.code, forKey: .status)
        try values.encode(response.headers.fields.map { [$0.name, $0.value] }, forKey: .headers)
        try values.encode(KeptBytes(response.body), forKey: .body)
        if response.isTruncated { try values.encode(true, forKey: .isTruncated) }
    }
}

/// Bytes as JSON: a text if they are valid UTF-8, or else an object with their Base64 form.
struct KeptBytes: Codable {
    let data: Data

    init(_ data: Data) { self.data = data }

    private enum CodingKeys: String, CodingKey {
        case base64
    }

    init(from decoder: any Decoder) throws {
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            data = Data(text.utf8)
        } else {
            data = try decoder.container(keyedBy: CodingKeys.self).decode(Base64Bytes.self, forKey: .base64).data
        }
    }

    func encode(to encoder: any Encoder) throws {
        if let text = String(validating: data, as: UTF8.self) {
            var value = encoder.singleValueContainer()
            try value.encode(text)
        } else {
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(data.base64EncodedString(), forKey: .base64)
        }
    }
}

/// Bytes that are decoded from their Base64 form, whatever form the decoder expects of `Data`.
struct Base64Bytes: Decodable {
    let data: Data

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        guard let data = Data(base64Encoded: try value.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: value, debugDescription: "The text is not Base64.")
        }
        self.data = data
    }
}
