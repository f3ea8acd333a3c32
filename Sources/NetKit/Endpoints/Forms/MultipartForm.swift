public import Foundation

/// A form with fields and files (RFC 7578), encoded as browsers do it and streamed from its parts.
///
/// ```swift
/// let form = MultipartForm { $0.field("title", "Holiday"); $0.file("photo", at: fileURL) }
/// try await client.upload(form, to: "/photos")
/// ```
/// Files are read while they are sent. The length is known if the length of every part is. A missing file, a folder,
/// and a name or header field that cannot be written cause an error before anything is sent. A stream that does not
/// keep its declared length causes an error while it is sent.
public struct MultipartForm: Sendable {
    /// One part of a form.
    public struct Part: Sendable {
        /// The name of the field.
        public var name: String
        /// The content of the part, whose `contentType` is that of the part.
        public var body: HTTPBody
        /// The name of the file, if the part is a file.
        public var fileName: String?
        /// Header fields besides `Content-Disposition` and `Content-Type`.
        public var headers: HTTPHeaders

        /// Creates a part.
        public init(name: String, body: HTTPBody, fileName: String? = nil, headers: HTTPHeaders = [:]) {
            (self.name, self.body, self.fileName, self.headers) = (name, body, fileName, headers)
        }
    }

    /// The parts in order.
    public private(set) var parts: [Part] = []
    /// The boundary; `nil` chooses one that no part contains.
    public var boundary: String?
    /// The reason why the form cannot be written.
    var problem: String?

    /// Creates an empty form.
    public init() {}

    /// Creates a form and fills it.
    public init(_ build: (inout MultipartForm) throws -> Void) rethrows { try build(&self) }

    /// Adds a field.
    ///
    /// A list becomes one field for each value, `nil` adds none, and line breaks become CR LF.
    public mutating func field(_ name: String, _ value: (any QueryConvertible)?) {
        let query = QueryBuilder().adding(name, value)
        problem = problem ?? query.problem
        for item in query.items {
            add(Part(name: name, body: .data(MultipartText.field(item.value ?? ""))))
        }
    }

    /// Adds bytes.
    ///
    /// With a file name, the server receives them as a file.
    public mutating func data(
        _ name: String,
        _ data: Data,
        fileName: String? = nil,
        contentType: String? = nil,
        headers: HTTPHeaders = [:]
    ) {
        add(Part(name: name, body: .data(data, contentType: contentType), fileName: fileName, headers: headers))
    }

    /// Adds a file, which is read while it is sent.
    ///
    /// By default, the media type comes from the file's name.
    public mutating func file(
        _ name: String,
        at file: URL,
        fileName: String? = nil,
        contentType: String? = nil,
        headers: HTTPHeaders = [:]
    ) {
        let fileName = fileName ?? file.lastPathComponent
        let type = contentType ?? FileType.mediaType(ofFileNamed: fileName)
        add(Part(name: name, body: .file(at: file, contentType: type), fileName: fileName, headers: headers))
    }

    /// Adds a value as JSON, encoded when the call begins.
    public mutating func json(_ name: String, _ value: some Encodable & Sendable, coder: JSONCoder? = nil) {
        add(Part(name: name, body: .json(value, coder: coder)))
    }

    /// Adds a JSON value as JSON, including a literal whose values differ in type.
    public mutating func json(_ name: String, _ value: JSONValue) { json(name, value, coder: nil) }

    /// Adds a part with any body: a stream, a part of a file, or another form.
    public mutating func add(_ part: Part) { parts.append(part) }

    /// The form as a body; each body has a boundary of its own.
    public var body: HTTPBody { body(random: .system) }

    func body(random: RandomSource) -> HTTPBody {
        do {
            let boundary = try MultipartBoundary.choose(boundary, for: parts, random: random)
            if let problem { throw NetKitError(.encoding, "The form cannot be written. \(problem).") }
            var pieces: [HTTPBody] = []
            for part in parts {
                pieces += [
                    .data(try MultipartText.head(of: part, boundary: boundary)), part.body, .data(MultipartText.end),
                ]
            }
            pieces.append(.data(Data("--\(boundary)--\r\n".utf8)))
            return HTTPBody(storage: .joined(pieces), contentType: "multipart/form-data; boundary=\(boundary)")
        } catch {
            return HTTPBody(storage: .deferred { _ in throw error }, contentType: "multipart/form-data")
        }
    }
}

extension HTTPBody {
    /// Returns a body with a form.
    public static func multipart(_ form: MultipartForm) -> HTTPBody { form.body }

    /// Returns a body with a form that a closure fills.
    public static func multipart(_ build: (inout MultipartForm) throws -> Void) rethrows -> HTTPBody {
        try MultipartForm(build).body
    }
}
