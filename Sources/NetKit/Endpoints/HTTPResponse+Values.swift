public import Foundation

extension HTTPResponse {
    /// Returns the body decoded as JSON, with the coder of the endpoint or the client.
    ///
    /// ```swift
    /// let response = try await client.get("/users/42")
    /// let user: User = try await response.json()
    /// ```
    /// A body in memory can be read several times, and a streamed one once. The status is not checked. The body is
    /// decoded outside the caller's actor.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - limit: The maximum number of bytes, 64 MiB by default.
    /// - Returns: The value.
    /// - Throws: `.decoding` if the body is something else, `.bodyTooLarge` beyond the limit, or an error of the
    ///   transfer.
    @concurrent
    public func json<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self,
        upTo limit: Int = PayloadSettings.defaultMaxBufferedBytes
    ) async throws -> Value {
        let data = try await data(upTo: limit)
        do {
            let limit = NetKitError.Response.defaultMaxBodyBytes
            return try body.coder.value(type, of: data, in: NetKitError.Response(self, body: data, upTo: limit))
        } catch {
            throw body.translated(error)
        }
    }

    /// Returns the body as text, in the character set that `Content-Type` names.
    ///
    /// Without a character set it is UTF-8, and bytes that are no text become the replacement character.
    public func text(upTo limit: Int = PayloadSettings.defaultMaxBufferedBytes) async throws -> String {
        text(of: try await data(upTo: limit))
    }

    /// Returns the text of the body's bytes, in the character set that `Content-Type` names.
    func text(of data: Data) -> String {
        TextEncoding.text(of: data, charset: MediaType(of: headers)?.parameters["charset"])
    }

    /// Returns the bytes of the body.
    public func data(upTo limit: Int = PayloadSettings.defaultMaxBufferedBytes) async throws -> Data {
        try await buffered(upTo: limit).body.buffered ?? Data()
    }
}
