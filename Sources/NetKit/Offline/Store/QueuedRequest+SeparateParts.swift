import Foundation

/// The stored form for stores that keep some parts of a request outside its JSON.
extension QueuedRequest {
    /// The parts of a request that a store keeps beside its JSON.
    package struct SeparateParts: Sendable {
        /// The entry's identifier, which replaces that of the JSON.
        package var id: UUID
        /// The time of the change, if the JSON has none.
        package var timestamp: Date
        /// The body, if it is not in the JSON.
        package var body: Data?

        package init(id: UUID, timestamp: Date, body: Data?) {
            (self.id, self.timestamp, self.body) = (id, timestamp, body)
        }
    }

    /// The key under which a decoder has the separate parts.
    static let separatePartsKey = CodingUserInfoKey(rawValue: "NetKit.separateParts")

    /// Returns the separate parts that a decoder was given.
    static func separateParts(_ decoder: any Decoder) -> SeparateParts? {
        separatePartsKey.flatMap { decoder.userInfo[$0] } as? SeparateParts
    }

    /// Reads a request from its JSON, which a person may have written.
    ///
    /// The version, the name and the time may be missing, and header fields may be an object.
    package init(json: Data, _ parts: SeparateParts) throws {
        if let request = json.withUnsafeBytes({ QueuedRequest(json: $0, parts) }) {
            self = request
            return
        }
        let decoder = JSONDecoder()
        if let key = Self.separatePartsKey { decoder.userInfo[key] = parts }
        self = try decoder.decode(QueuedRequest.self, from: json)
    }

    /// The request as JSON without its body.
    package var jsonWithoutBody: Data {
        var text = JSONText(capacity: 512)
        QueuedRequestJSON.write(self, hasBody: false, to: &text)
        return Data(text.bytes)
    }

    /// Returns whether another request, which has a body of some bytes, is the same.
    ///
    /// The keys and whether they may have arrived, the times of the changes and of the expiry, and the numbers of
    /// retries and conflicts may differ.
    package func isSame(as other: QueuedRequest, body: Data?) -> Bool {
        func rest(_ request: QueuedRequest) -> Data {
            var request = request
            (request.idempotencyKey, request.mayHaveArrived) = (nil, false)
            request.timestamp = Date(timeIntervalSince1970: 0)
            (request.retryCount, request.conflictCount, request.expiresAt) = (0, 0, nil)
            return request.jsonWithoutBody
        }
        return self.body?.bytes == body && rest(self) == rest(other)
    }
}
