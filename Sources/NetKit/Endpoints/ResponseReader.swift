import Foundation

/// The way in which an endpoint reads its result from a response with an accepted status.
public struct ResponseReader<Response: Sendable>: Sendable {
    /// The media type to ask for, if the caller names none.
    let accept: String?
    let isStreamed: Bool
    let read: @Sendable (HTTPResponse, PayloadSettings) async throws -> Response

    /// Creates a reader of your own.
    ///
    /// - Parameters:
    ///   - accept: The media type to ask for, where the caller names none.
    ///   - isStreamed: Whether the body is handed over as it arrives; false has it in memory, within the bound.
    ///   - read: Makes the result; what it throws surfaces from `send`.
    public init(
        accept: String? = nil,
        isStreamed: Bool = false,
        _ read: @escaping @Sendable (HTTPResponse, PayloadSettings) async throws -> Response
    ) {
        (self.accept, self.isStreamed, self.read) = (accept, isStreamed, read)
    }
}

extension ResponseReader where Response: Decodable {
    /// The body itself for `Data` and `String`, nil for an optional if there is no body, and JSON for everything else.
    public static var decoded: ResponseReader {
        if let type = Response.self as? any EndpointResponse.Type { return own(type) }
        let isRaw = Response.self == Data.self || Response.self == String.self
        return ResponseReader(accept: isRaw ? nil : "application/json") { response, settings in
            let data = try await response.body.collect(upTo: settings.maxBufferedBytes)
            return try settings.value(Response.self, of: data, in: response)
        }
    }

    private static func own(_ type: any EndpointResponse.Type) -> ResponseReader {
        ResponseReader(accept: type.accept, isStreamed: type.isStreamed) { response, settings in
            guard let value = try await type.init(reading: response, settings: settings) as? Response else {
                throw NetKitError(.decoding, "The body is not the expected \(Response.self).", outcome: .answered)
            }
            return value
        }
    }
}

extension ResponseReader where Response == Void {
    /// A reader that does not read the body.
    public static var ignored: ResponseReader {
        ResponseReader { response, _ in response.body.discard() }
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
    /// A value of a body: the bytes, the text, nothing, or JSON.
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
        do {
            return try json.decoder.decode(type, from: data)
        } catch {
            let response = NetKitError.Response(response, body: data, upTo: maxErrorBodyBytes)
            throw DecodingProblem.error(for: error, expected: type, in: data, response: response)
        }
    }
}

/// An optional, told apart from everything else that is `Decodable`.
private protocol OptionalResponse {
    static var empty: Any { get }
}

extension Optional: OptionalResponse {
    fileprivate static var empty: Any { Wrapped?.none as Any }
}
