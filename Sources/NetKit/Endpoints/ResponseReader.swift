import Foundation

/// The way in which an endpoint reads its result from a response with an accepted status.
public struct ResponseReader<Response: Sendable>: Sendable {
    /// The media type to ask for, if the caller names none.
    let accept: String?
    let isStreamed: Bool
    /// Returns whether the body of a response with a status is not read.
    var discardsBody: @Sendable (HTTPStatus) -> Bool = { _ in false }
    let read: @Sendable (HTTPResponse, PayloadSettings) async throws -> Response

    /// Creates a reader of your own.
    ///
    /// - Parameters:
    ///   - accept: The media type to ask for, if the caller names none.
    ///   - isStreamed: Whether the body is passed on as it arrives. If not, it is read into memory, within the bound.
    ///   - read: A closure that creates the result. Its errors surface from `send`.
    public init(
        accept: String? = nil,
        isStreamed: Bool = false,
        _ read: @escaping @Sendable (HTTPResponse, PayloadSettings) async throws -> Response
    ) {
        (self.accept, self.isStreamed, self.read) = (accept, isStreamed, read)
    }

    /// Returns a reader that asks for the same and makes another result of it.
    func making<Other: Sendable>(
        _ read: @escaping @Sendable (HTTPResponse, PayloadSettings) async throws -> Other
    ) -> ResponseReader<Other> {
        var other = ResponseReader<Other>(accept: accept, isStreamed: isStreamed, read)
        other.discardsBody = discardsBody
        return other
    }
}

extension ResponseReader where Response: Decodable {
    /// A reader that returns the body for `Data` and `String`, `nil` for an optional type without a body, and otherwise
    /// JSON.
    public static var decoded: ResponseReader {
        if let type = Response.self as? any EndpointResponse.Type, let own = own(type) as? ResponseReader { return own }
        let isRaw = Response.self == Data.self || Response.self == String.self
        return ResponseReader(accept: isRaw ? nil : "application/json") { response, settings in
            let data = try await response.body.collect(upTo: settings.maxBufferedBytes)
            return try settings.value(Response.self, of: data, in: response)
        }
    }

    private static func own<Own: EndpointResponse>(_ type: Own.Type) -> Any { ResponseReader<Own>.own }
}

extension ResponseReader where Response == Void {
    /// A reader that does not read the body, which may have any size.
    public static var ignored: ResponseReader {
        var reader = ResponseReader { response, _ in response.body.discard() }
        reader.discardsBody = { _ in true }
        return reader
    }
}

extension ResponseReader where Response == HTTPResponse {
    /// A reader that returns the response itself.
    public static var whole: ResponseReader {
        ResponseReader { response, _ in response }
    }
}

extension ResponseReader where Response: EndpointResponse {
    /// The reader of the response type itself.
    public static var own: ResponseReader {
        ResponseReader(accept: Response.accept, isStreamed: Response.isStreamed) { response, settings in
            try await Response(reading: response, settings: settings)
        }
    }
}

extension PayloadSettings {
    /// Returns the value of a body: its bytes, its text, `nil`, or the decoded JSON.
    fileprivate func value<Value: Decodable>(
        _ type: Value.Type,
        of data: Data,
        in response: HTTPResponse
    ) throws -> Value {
        if data.isEmpty || response.status == .noContent, let optional = type as? any OptionalResponse.Type,
            let empty = optional.empty as? Value
        {
            return empty
        }
        if type == Data.self, let data = data as? Value { return data }
        if type == String.self, let text = response.text(of: data) as? Value { return text }
        return try json.value(type, of: data, in: NetKitError.Response(response, body: data, upTo: maxErrorBodyBytes))
    }
}

/// A protocol that distinguishes optional types from other `Decodable` types.
private protocol OptionalResponse {
    static var empty: Any { get }
}

extension Optional: OptionalResponse {
    fileprivate static var empty: Any { Wrapped?.none as Any }
}
