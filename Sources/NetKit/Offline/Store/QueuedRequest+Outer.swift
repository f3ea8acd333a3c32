import Foundation

/// The stored form for stores that keep some parts of a request outside its JSON.
extension QueuedRequest {
    /// The parts of a request that a store keeps beside its JSON.
    package struct OuterParts: Sendable {
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

    /// The key under which a decoder has the outer parts.
    static let outerKey = CodingUserInfoKey(rawValue: "NetKit.outerParts")

    /// Returns the outer parts that a decoder was given.
    static func outerParts(_ decoder: any Decoder) -> OuterParts? {
        outerKey.flatMap { decoder.userInfo[$0] } as? OuterParts
    }

    /// Reads a request from its JSON, which a person may have written.
    ///
    /// The version, the name and the time may be missing, and header fields may be an object.
    package init(json: Data, _ outer: OuterParts) throws {
        if let request = json.withUnsafeBytes({ QueuedRequest(json: $0, outer) }) {
            self = request
            return
        }
        let decoder = JSONDecoder()
        if let key = Self.outerKey { decoder.userInfo[key] = outer }
        self = try decoder.decode(QueuedRequest.self, from: json)
    }

    /// The request as JSON without its body.
    package var jsonWithoutBody: Data {
        var text = JSONText(capacity: 512)
        JournalText.write(self, hasBody: false, to: &text)
        return Data(text.bytes)
    }
}
