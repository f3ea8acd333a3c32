// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Overloads for a path as a text, a value as a body, and any values as JSON, as in `RequestSending+OtherNames`.

@available(
    *,
    unavailable,
    message:
        "Write the path as a literal with the values in it: \"/users/\\(id)\". For a text that is a whole path, write \"\\(raw: path)\"."
)
extension Endpoint {
    @_disfavoredOverload
    @_alwaysEmitIntoClient public init(
        path: String,
        method: HTTPMethod = .get,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil
    ) { self.init(path: RequestPath(raw: path), method: method, reader: .unreadable) }

    @_disfavoredOverload
    @_alwaysEmitIntoClient
    public static func get(_ path: String, query: QueryBuilder = [:], headers: HTTPHeaders = [:]) -> Self {
        Self(path: RequestPath(raw: path), method: .get, reader: .unreadable)
    }

    @_disfavoredOverload
    @_alwaysEmitIntoClient
    public static func delete(_ path: String, query: QueryBuilder = [:], headers: HTTPHeaders = [:]) -> Self {
        Self(path: RequestPath(raw: path), method: .delete, reader: .unreadable)
    }

    @_disfavoredOverload
    @_alwaysEmitIntoClient
    public static func head(_ path: String, query: QueryBuilder = [:], headers: HTTPHeaders = [:]) -> Self {
        Self(path: RequestPath(raw: path), method: .head, reader: .unreadable)
    }

    @_disfavoredOverload
    @_alwaysEmitIntoClient public static func post(
        _ path: String,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        json: (any Encodable & Sendable)? = nil,
        form: QueryBuilder? = nil,
        multipart: MultipartForm? = nil
    ) -> Self { Self(path: RequestPath(raw: path), method: .post, reader: .unreadable) }

    @_disfavoredOverload
    @_alwaysEmitIntoClient public static func put(
        _ path: String,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        json: (any Encodable & Sendable)? = nil
    ) -> Self { Self(path: RequestPath(raw: path), method: .put, reader: .unreadable) }

    @_disfavoredOverload
    @_alwaysEmitIntoClient public static func patch(
        _ path: String,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        json: (any Encodable & Sendable)? = nil
    ) -> Self { Self(path: RequestPath(raw: path), method: .patch, reader: .unreadable) }
}

@available(
    *,
    unavailable,
    message: "Pass a value to encode with json: instead of body:, bytes as .data(bytes), and a text as .text(text)."
)
extension Endpoint {
    @_disfavoredOverload
    @_alwaysEmitIntoClient public static func post(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: some Encodable
    ) -> Self { Self(path: path, method: .post, reader: .unreadable) }

    @_disfavoredOverload
    @_alwaysEmitIntoClient public static func put(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: some Encodable
    ) -> Self { Self(path: path, method: .put, reader: .unreadable) }

    @_disfavoredOverload
    @_alwaysEmitIntoClient public static func patch(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: some Encodable
    ) -> Self { Self(path: path, method: .patch, reader: .unreadable) }
}

@available(
    *,
    unavailable,
    message: "Wrap the values: [\"name\": .string(name), \"age\": .integer(age)], or encode a type of your own."
)
extension Endpoint {
    @_disfavoredOverload
    @_alwaysEmitIntoClient public static func post(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        json: [String: Any]
    ) -> Self { Self(path: path, method: .post, reader: .unreadable) }

    @_disfavoredOverload
    @_alwaysEmitIntoClient public static func put(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        json: [String: Any]
    ) -> Self { Self(path: path, method: .put, reader: .unreadable) }

    @_disfavoredOverload
    @_alwaysEmitIntoClient public static func patch(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        json: [String: Any]
    ) -> Self { Self(path: path, method: .patch, reader: .unreadable) }
}
