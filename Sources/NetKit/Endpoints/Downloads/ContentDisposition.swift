/// The field that says what is to become of a body, and what its file is called (RFC 6266, RFC 8187).
///
/// ```swift
/// let name = response.headers["Content-Disposition"].flatMap { ContentDisposition($0).fileName }
/// ```
/// It refuses nothing, since servers write all kinds of things. The file name is what the server says, and no path to be
/// trusted: downloads make a safe one of it.
public struct ContentDisposition: Sendable, Hashable {
    /// `attachment`, `inline` or another type, in lower case.
    public let type: String
    /// The parameters, their names in lower case; of one that is there twice the first.
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
        // An extended value in quotes is against the grammar, and means what it says.
        for (name, value) in parameters where name.hasSuffix("*") && !quoted.contains(name) {
            if let decoded = ExtendedValue.decode(value) { parameters[String(name.dropLast())] = decoded }
        }
        self.parameters = parameters
    }

    /// The name of the file; `filename*` comes before `filename`.
    public var fileName: String? { parameters["filename"] }
}
