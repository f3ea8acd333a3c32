/// A problem in the format that services share (RFC 9457, `application/problem+json`).
///
/// ```swift
/// catch let error as NetKitError {
///     if let problem = error.problem { show(problem.title, problem.detail, problem["balance"]?.int) }
/// }
/// ```
/// A member of the wrong type is ignored, as the RFC requires. All members that the RFC does not name are extensions.
public struct APIProblem: Sendable, Hashable, Error {
    /// The kind of problem, a URI reference; `about:blank` if the server names none.
    public var type: String
    /// A short text for the kind of problem.
    public var title: String?
    /// The status in the body.
    ///
    /// If it differs from the status of the response, the response's status is valid.
    public var status: Int?
    /// A text for this occurrence.
    public var detail: String?
    /// A URI reference for this occurrence.
    public var instance: String?
    /// The service's own members.
    public var extensions: [String: JSONValue]

    /// Creates a problem.
    public init(
        type: String = "about:blank",
        title: String? = nil,
        status: Int? = nil,
        detail: String? = nil,
        instance: String? = nil,
        extensions: [String: JSONValue] = [:]
    ) {
        (self.type, self.title, self.status) = (type, title, status)
        (self.detail, self.instance, self.extensions) = (detail, instance, extensions)
    }

    /// Returns the problem as a type of yours, with the members that the service adds.
    ///
    /// ```swift
    /// struct Invalid: Decodable { var errors: [FieldError] }
    /// let fields = try error.problem?.decode(Invalid.self).errors
    /// ```
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self, using json: JSONCoder = .standard) throws
        -> Value
    {
        try JSONValue.object(members).decode(as: type, coder: json)
    }

    /// All members, by their names in JSON.
    private var members: [String: JSONValue] {
        var members = extensions
        members["type"] = .string(type)
        members["title"] = title.map { .string($0) }
        members["status"] = status.map { .integer($0) }
        members["detail"] = detail.map { .string($0) }
        members["instance"] = instance.map { .string($0) }
        return members
    }

    /// The extension with a name.
    public subscript(_ name: String) -> JSONValue? { extensions[name] }
}

extension APIProblem: Codable {
    /// Reads a problem from any JSON object.
    public init(from decoder: any Decoder) throws {
        self.init(members: try decoder.singleValueContainer().decode([String: JSONValue].self))
    }

    private init(members: [String: JSONValue]) {
        var members = members
        type = members.removeValue(forKey: "type")?.string ?? "about:blank"
        title = members.removeValue(forKey: "title")?.string
        status = members.removeValue(forKey: "status")?.int.flatMap { (100..<1000).contains($0) ? $0 : nil }
        detail = members.removeValue(forKey: "detail")?.string
        instance = members.removeValue(forKey: "instance")?.string
        extensions = members
    }

    /// Writes the problem with its extensions beside its own members.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(members)
    }
}

extension APIProblem: JSONValueReadable {
    init?(reading value: JSONValue) {
        guard let members = value.object else { return nil }
        self.init(members: members)
    }
}

extension NetKitError {
    /// The problem in the response, whatever error type the endpoint expects; `nil` if the response is not a problem.
    ///
    /// The title and the detail are part of the error's message, up to a limit; all other members appear only here.
    public var problem: APIProblem? { response.flatMap { APIProblem($0) } }
}

extension APIProblem {
    /// Creates a problem from the response of an error; `nil` if it describes none.
    init?(_ response: NetKitError.Response) {
        if let problem = response.decoded as? APIProblem {
            self = problem
            return
        }
        guard MediaType(of: response.headers)?.name == "application/problem+json",
            let value = try? JSONReader.value(of: response.body)
        else { return nil }
        self.init(reading: value)
    }

    /// The title and the detail after a colon, for a message; empty if there are none.
    var summary: String {
        let texts = [title, detail].compactMap { $0 }.filter { !$0.isEmpty }
        let text = NetKitError.oneLine(texts.joined(separator: " – "), limit: 300)
        return texts.isEmpty ? "" : ": " + (text.hasSuffix(".") ? String(text.dropLast()) : text)
    }
}
