/// A result of an endpoint that reads the response itself, such as ``DynamicResponse`` or your own format.
///
/// ```swift
/// struct Table: EndpointResponse {
///     let rows: [String]
///
///     static var accept: String? { "text/csv" }
///     init(reading response: HTTPResponse, settings: PayloadSettings) async throws {
///         rows = try await response.body.text(upTo: settings.maxBufferedBytes).split(separator: "\n").map(String.init)
///     }
/// }
/// ```
/// The status of the response is accepted. A type that is also `Decodable` is read by this initializer, and not as
/// JSON.
public protocol EndpointResponse: Sendable {
    /// The media type to ask for, if the caller names none.
    static var accept: String? { get }
    /// Whether the body is passed on as it arrives. If not, it is read into memory, within the bound.
    static var isStreamed: Bool { get }
    /// Creates the result from a response whose status is accepted.
    init(reading response: HTTPResponse, settings: PayloadSettings) async throws
}

extension EndpointResponse {
    /// No preferred media type.
    public static var accept: String? { nil }
    /// Whether the body is passed on as it arrives; `false` by default.
    public static var isStreamed: Bool { false }
}

extension HTTPResponse: EndpointResponse {
    /// Creates a response that is the given one, unchanged.
    public init(reading response: HTTPResponse, settings: PayloadSettings) { self = response }
}
