/// A `Content-Disposition` field, which gives the use of a body and the name of its file (RFC 6266, RFC 8187).
///
/// ```swift
/// let name = response.headers["Content-Disposition"].flatMap { ContentDisposition($0).fileName }
/// ```
/// No value is refused, because servers send many forms. The file name is the server's text and no trustworthy path;
/// downloads make a safe name of it.
public struct ContentDisposition: Sendable, Hashable {
    /// `attachment`, `inline` or another type, in lower case.
    public let type: String
    /// The parameters, with names in lower case.
    ///
    /// If a parameter is repeated, the first one counts.
    public let parameters: [String: String]

    /// Reads a field's value.
    public init(_ value: String) {
        var reader = ParameterReader(value)
        type = reader.head().lowercased()
        var parameters: [String: String] = [:]
        var quoted: Set<String> = []
        while let (name, value, isQuoted) = reader.next() {
            guard parameters[name] == nil else { continue }
            parameters[name] = value
            if isQuoted { quoted.insert(name) }
        }
        // An extended value in quotes is against the grammar, and is taken literally.
        for (name, value) in parameters where name.hasSuffix("*") && !quoted.contains(name) {
            if let decoded = ExtendedValue.decode(value) { parameters[String(name.dropLast())] = decoded }
        }
        self.parameters = parameters
    }

    /// The name of the file; `filename*` takes precedence over `filename`.
    public var fileName: String? { parameters["filename"] }
}
