/// The method of a request: one of the usual ones, or any other token.
///
/// ```swift
/// let purge: HTTPMethod = "PURGE"
/// ```
/// A method that is not a token (RFC 9110, section 9.1) is refused before anything is sent.
public struct HTTPMethod: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The method as it is sent; it is case-sensitive.
    public let rawValue: String

    /// Creates a method from its name, exactly as it is to be sent.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Creates a method from a literal.
    public init(stringLiteral value: String) { rawValue = value }

    /// The method's name.
    public var description: String { rawValue }

    /// Reads a resource.
    public static let get = HTTPMethod("GET")
    /// Reads a resource's headers.
    public static let head = HTTPMethod("HEAD")
    /// Sends data to a resource.
    public static let post = HTTPMethod("POST")
    /// Replaces a resource.
    public static let put = HTTPMethod("PUT")
    /// Changes a part of a resource.
    public static let patch = HTTPMethod("PATCH")
    /// Removes a resource.
    public static let delete = HTTPMethod("DELETE")
    /// Asks for the options of a resource.
    public static let options = HTTPMethod("OPTIONS")
    /// Asks for the request as the server received it.
    public static let trace = HTTPMethod("TRACE")
    /// Reads with a body (draft-ietf-httpbis-safe-method-w-body).
    public static let query = HTTPMethod("QUERY")

    /// Whether the request only reads.
    public var isSafe: Bool {
        self == .get || self == .head || self == .options || self == .trace || self == .query
    }

    /// Whether sending the request twice has the effect of sending it once.
    public var isIdempotent: Bool { isSafe || self == .put || self == .delete }

    var isToken: Bool { rawValue.isHTTPToken }

    /// Whether a request with this method and no body has to send `Content-Length: 0` (RFC 9110, section 8.6).
    var expectsBody: Bool { self == .post || self == .put || self == .patch }
}

extension HTTPMethod {
    private static let known: Set<String> = [
        "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE",
    ]

    /// The method in metrics and traces, which is `_OTHER` for unknown methods, so that the number of values is
    /// bounded.
    var telemetryName: String { Self.known.contains(rawValue) ? rawValue : "_OTHER" }
}
