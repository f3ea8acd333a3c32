/// A result of an endpoint that makes itself from the response, such as ``DynamicResponse``, or a format of yours.
///
/// ```swift
/// struct Table: EndpointResponse {
///     static var accept: String? { "text/csv" }
///     init(reading response: HTTPResponse, settings: PayloadSettings) async throws {
///         rows = try await response.body.text(upTo: settings.maxBufferedBytes).split(separator: "\n").map(String.init)
///     }
/// }
/// ```
/// The status is one of those accepted. A type that is `Decodable` as well is read by this and not as JSON.
public protocol EndpointResponse: Sendable {
    /// The media type to ask for, where the caller names none.
    static var accept: String? { get }
    /// Whether the body is handed over as it arrives; false has it in memory, within the bound.
    static var isStreamed: Bool { get }
    /// Creates the result of a response whose status is accepted.
    init(reading response: HTTPResponse, settings: PayloadSettings) async throws
}

extension EndpointResponse {
    /// No preferred media type.
    public static var accept: String? { nil }
    /// False: the body is in memory.
    public static var isStreamed: Bool { false }
}
