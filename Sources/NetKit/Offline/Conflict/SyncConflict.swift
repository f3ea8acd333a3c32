public import Foundation

/// Two versions of one resource: the one to be sent, and the one on the server.
public struct SyncConflict: Sendable, Hashable {
    /// The local version, which is to be sent.
    public var localData: Data?
    /// The server's version, if its response contains it.
    ///
    /// It is `nil` if the body exceeds ``OfflineQueue/Configuration/maxResponseBytes`` or breaks off, because the part
    /// that is kept is not the server's version.
    public var serverData: Data?
    /// The time of the local change, by the clock of the machine that made it.
    public var timestamp: Date
    /// The target of the request.
    public var endpoint: String
    /// The version that was changed, if the entry has it.
    public var baseData: Data?
    /// The `ETag` of the version that was changed.
    public var baseETag: String?
    /// The `ETag` of the server's version.
    public var serverETag: String?
    /// The time of the server's version, by the clock of the machine that sent the request, if the response states it.
    public var serverTimestamp: Date?
    /// The identifier of the entry.
    public var requestID: UUID?

    /// Creates a conflict.
    public init(
        localData: Data?,
        serverData: Data?,
        timestamp: Date,
        endpoint: String,
        baseData: Data? = nil,
        baseETag: String? = nil,
        serverETag: String? = nil,
        serverTimestamp: Date? = nil,
        requestID: UUID? = nil
    ) {
        self.localData = localData
        self.serverData = serverData
        self.timestamp = timestamp
        self.endpoint = endpoint
        self.baseData = baseData
        self.baseETag = baseETag
        self.serverETag = serverETag
        self.serverTimestamp = serverTimestamp
        self.requestID = requestID
    }
}

extension SyncConflict: Codable {
    private enum CodingKeys: String, CodingKey {
        case local, server, base, timestamp, endpoint
        case baseETag, serverETag, serverTimestamp, requestID
    }

    /// Reads a conflict.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        localData = try values.decodeIfPresent(KeptBytes.self, forKey: .local)?.data
        serverData = try values.decodeIfPresent(KeptBytes.self, forKey: .server)?.data
        baseData = try values.decodeIfPresent(KeptBytes.self, forKey: .base)?.data
        timestamp = Date(milliseconds: try values.decode(Int64.self, forKey: .timestamp))
        endpoint = try values.decode(String.self, forKey: .endpoint)
        baseETag = try values.decodeIfPresent(String.self, forKey: .baseETag)
        serverETag = try values.decodeIfPresent(String.self, forKey: .serverETag)
        serverTimestamp = try values.decodeIfPresent(Int64.self, forKey: .serverTimestamp).map {
            Date(milliseconds: $0)
        }
        requestID = try values.decodeIfPresent(UUID.self, forKey: .requestID)
    }

    /// Writes the conflict.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encodeIfPresent(localData.map { KeptBytes($0) }, forKey: .local)
        try values.encodeIfPresent(serverData.map { KeptBytes($0) }, forKey: .server)
        try values.encodeIfPresent(baseData.map { KeptBytes($0) }, forKey: .base)
        try values.encode(timestamp.milliseconds, forKey: .timestamp)
        try values.encode(endpoint, forKey: .endpoint)
        try values.encodeIfPresent(baseETag, forKey: .baseETag)
        try values.encodeIfPresent(serverETag, forKey: .serverETag)
        try values.encodeIfPresent(serverTimestamp?.milliseconds, forKey: .serverTimestamp)
        try values.encodeIfPresent(requestID, forKey: .requestID)
    }
}
