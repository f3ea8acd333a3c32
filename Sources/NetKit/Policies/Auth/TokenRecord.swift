import Foundation

/// A token with the name of its identity, as vaults store it.
package struct TokenRecord: Codable, Sendable {
    package var token: AccessToken
    /// The name of the token's identity, unless it is random.
    package var identity: String?

    package init(token: AccessToken, identity: String?) {
        (self.token, self.identity) = (token, identity)
    }

    /// Reads a record that `data(sealedBy:)` wrote.
    package init(_ data: Data, sealedBy seal: RecordSeal?) throws {
        self = try JSONDecoder().decode(TokenRecord.self, from: try seal?.open(data) ?? data)
    }

    /// Returns the record as JSON, encrypted if there is a seal.
    package func data(sealedBy seal: RecordSeal?) throws -> Data {
        let data = try JSONEncoder().encode(self)
        return try seal?.seal(data) ?? data
    }
}
