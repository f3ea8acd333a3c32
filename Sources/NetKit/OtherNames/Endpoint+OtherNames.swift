// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Overloads for a result that cannot be read. Without them, the compiler only reports that it failed. An unavailable
// overload is always chosen last. Those with a text for the path are disfavored as well, because a literal is a text by
// default.

@available(
    *,
    unavailable,
    message:
        "The result of an endpoint is Decodable, Void, HTTPResponse or an EndpointResponse. Make the type Decodable."
)
extension Endpoint {
    @_alwaysEmitIntoClient
    public static func get(_ path: RequestPath, query: QueryBuilder = [:], headers: HTTPHeaders = [:]) -> Self {
        Self(path: path, method: .get, reader: .unreadable)
    }

    @_alwaysEmitIntoClient
    public static func delete(_ path: RequestPath, query: QueryBuilder = [:], headers: HTTPHeaders = [:]) -> Self {
        Self(path: path, method: .delete, reader: .unreadable)
    }

    @_alwaysEmitIntoClient
    public static func head(_ path: RequestPath, query: QueryBuilder = [:], headers: HTTPHeaders = [:]) -> Self {
        Self(path: path, method: .head, reader: .unreadable)
    }

    @_alwaysEmitIntoClient public static func post(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        json: (any Encodable & Sendable)? = nil,
        form: QueryBuilder? = nil,
        multipart: MultipartForm? = nil
    ) -> Self { Self(path: path, method: .post, reader: .unreadable) }

    @_alwaysEmitIntoClient public static func put(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        json: (any Encodable & Sendable)? = nil
    ) -> Self { Self(path: path, method: .put, reader: .unreadable) }

    @_alwaysEmitIntoClient public static func patch(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        json: (any Encodable & Sendable)? = nil
    ) -> Self { Self(path: path, method: .patch, reader: .unreadable) }
}

extension Endpoint {
    @available(*, unavailable, message: "Write Endpoint(path: path, method: .options).")
    @_alwaysEmitIntoClient public static func options(_ path: RequestPath) -> Self {
        Self(path: path, method: .options, reader: .unreadable)
    }
}

extension ResponseReader {
    @usableFromInline static var unreadable: ResponseReader {
        ResponseReader { _, _ in throw NetKitError(.unsupported, "The result of the endpoint cannot be read.") }
    }
}
