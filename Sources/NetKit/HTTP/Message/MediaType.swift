/// A media type with its parameters, as in `Content-Type` (RFC 9110, section 8.3.1).
struct MediaType: Sendable, Equatable {
    /// `type/subtype`, in lower case.
    let name: String
    /// The parameters, with their names in lower case; if a name occurs twice, the first counts.
    let parameters: [String: String]

    /// Reads a field's value; `nil` if it does not begin with `type/subtype`.
    init?(_ text: String) {
        var reader = ParameterReader(text)
        let name = reader.head().lowercased()
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ String($0).isHTTPToken }) else { return nil }
        self.name = name
        var parameters: [String: String] = [:]
        while let (name, value, _) = reader.next() {
            if parameters[name] == nil { parameters[name] = value }
        }
        self.parameters = parameters
    }

    /// Creates the media type of a message's body; `nil` if `Content-Type` is missing or has no valid value.
    ///
    /// The field may occur only once. If there are several values, the last valid one counts (RFC 9110, section 8.3).
    init?(of headers: HTTPHeaders) {
        let types = headers.values(of: "Content-Type").flatMap(HeaderList.members).compactMap { MediaType($0) }
        guard let type = types.last else { return nil }
        self = type
    }

    /// Whether the body is JSON: `application/json`, or a format built on it.
    var isJSON: Bool { name == "application/json" || name == "text/json" || name.hasSuffix("+json") }

    /// Whether the body is meant to be read as text.
    var isText: Bool { name.hasPrefix("text/") || name.hasSuffix("+xml") || Self.textNames.contains(name) }

    private static let textNames: Set<String> = [
        "application/xml", "application/javascript", "application/ecmascript", "application/x-www-form-urlencoded",
        "application/yaml", "application/x-yaml", "application/toml", "application/sql", "application/graphql",
        "application/x-ndjson", "application/jsonl",
    ]
}
