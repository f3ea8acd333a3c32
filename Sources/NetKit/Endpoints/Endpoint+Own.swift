public import Foundation

// Disfavoured, for types that are `Decodable` as well: those go by the other way, which asks for this one.
extension Endpoint where Response: EndpointResponse {
    /// Reads a resource; gives what the type makes of the answer.
    @_disfavoredOverload
    public static func get(
        _ path: RequestPath,
        query: QueryBuilder = QueryBuilder(),
        headers: HTTPHeaders = HTTPHeaders()
    ) -> Self {
        Endpoint(path: path, method: .get, query: query, headers: headers, reader: .own)
    }

    /// Reads a resource; gives what the type makes of the answer.
    @_disfavoredOverload
    public static func get(
        _ path: RequestPath,
        query: [URLQueryItem],
        headers: HTTPHeaders = HTTPHeaders()
    ) -> Self {
        get(path, query: QueryBuilder(query), headers: headers)
    }

    /// Asks for the headers of a resource; gives what the type makes of the answer.
    @_disfavoredOverload
    public static func head(
        _ path: RequestPath,
        query: QueryBuilder = QueryBuilder(),
        headers: HTTPHeaders = HTTPHeaders()
    ) -> Self {
        Endpoint(path: path, method: .head, query: query, headers: headers, reader: .own)
    }

    /// Asks for the headers of a resource; gives what the type makes of the answer.
    @_disfavoredOverload
    public static func head(
        _ path: RequestPath,
        query: [URLQueryItem],
        headers: HTTPHeaders = HTTPHeaders()
    ) -> Self {
        head(path, query: QueryBuilder(query), headers: headers)
    }

    /// Removes a resource; gives what the type makes of the answer.
    @_disfavoredOverload
    public static func delete(
        _ path: RequestPath,
        query: QueryBuilder = QueryBuilder(),
        headers: HTTPHeaders = HTTPHeaders()
    ) -> Self {
        Endpoint(path: path, method: .delete, query: query, headers: headers, reader: .own)
    }

    /// Removes a resource; gives what the type makes of the answer.
    @_disfavoredOverload
    public static func delete(
        _ path: RequestPath,
        query: [URLQueryItem],
        headers: HTTPHeaders = HTTPHeaders()
    ) -> Self {
        delete(path, query: QueryBuilder(query), headers: headers)
    }

    /// Hands something to a resource with a body; gives what the type makes of the answer.
    @_disfavoredOverload
    public static func post(
        _ path: RequestPath,
        query: QueryBuilder = QueryBuilder(),
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody? = nil
    ) -> Self {
        Endpoint(path: path, method: .post, query: query, headers: headers, body: body, reader: .own)
    }

    /// Hands something to a resource with a body; gives what the type makes of the answer.
    @_disfavoredOverload
    public static func post(
        _ path: RequestPath,
        query: [URLQueryItem],
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody? = nil
    ) -> Self {
        post(path, query: QueryBuilder(query), headers: headers, body: body)
    }

    /// Hands something to a resource with a value as JSON; gives what the type makes of the answer.
    @_disfavoredOverload
    public static func post(
        _ path: RequestPath,
        query: QueryBuilder = QueryBuilder(),
        headers: HTTPHeaders = HTTPHeaders(),
        json value: some Encodable & Sendable
    ) -> Self {
        Endpoint(path: path, method: .post, query: query, headers: headers, body: .json(value), reader: .own)
    }

    /// Hands something to a resource with a value as JSON; gives what the type makes of the answer.
    @_disfavoredOverload
    public static func post(
        _ path: RequestPath,
        query: [URLQueryItem],
        headers: HTTPHeaders = HTTPHeaders(),
        json value: some Encodable & Sendable
    ) -> Self {
        post(path, query: QueryBuilder(query), headers: headers, json: value)
    }

    /// Replaces a resource with a body; gives what the type makes of the answer.
    @_disfavoredOverload
    public static func put(
        _ path: RequestPath,
        query: QueryBuilder = QueryBuilder(),
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody? = nil
    ) -> Self {
        Endpoint(path: path, method: .put, query: query, headers: headers, body: body, reader: .own)
    }

    /// Replaces a resource with a body; gives what the type makes of the answer.
    @_disfavoredOverload
    public static func put(
        _ path: RequestPath,
        query: [URLQueryItem],
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody? = nil
    ) -> Self {
        put(path, query: QueryBuilder(query), headers: headers, body: body)
    }

    /// Replaces a resource with a value as JSON; gives what the type makes of the answer.
    @_disfavoredOverload
    public static func put(
        _ path: RequestPath,
        query: QueryBuilder = QueryBuilder(),
        headers: HTTPHeaders = HTTPHeaders(),
        json value: some Encodable & Sendable
    ) -> Self {
        Endpoint(path: path, method: .put, query: query, headers: headers, body: .json(value), reader: .own)
    }

    /// Replaces a resource with a value as JSON; gives what the type makes of the answer.
    @_disfavoredOverload
    public static func put(
        _ path: RequestPath,
        query: [URLQueryItem],
        headers: HTTPHeaders = HTTPHeaders(),
        json value: some Encodable & Sendable
    ) -> Self {
        put(path, query: QueryBuilder(query), headers: headers, json: value)
    }

    /// Changes a resource with a body; gives what the type makes of the answer.
    @_disfavoredOverload
    public static func patch(
        _ path: RequestPath,
        query: QueryBuilder = QueryBuilder(),
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody? = nil
    ) -> Self {
        Endpoint(path: path, method: .patch, query: query, headers: headers, body: body, reader: .own)
    }

    /// Changes a resource with a body; gives what the type makes of the answer.
    @_disfavoredOverload
    public static func patch(
        _ path: RequestPath,
        query: [URLQueryItem],
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody? = nil
    ) -> Self {
        patch(path, query: QueryBuilder(query), headers: headers, body: body)
    }

    /// Changes a resource with a value as JSON; gives what the type makes of the answer.
    @_disfavoredOverload
    public static func patch(
        _ path: RequestPath,
        query: QueryBuilder = QueryBuilder(),
        headers: HTTPHeaders = HTTPHeaders(),
        json value: some Encodable & Sendable
    ) -> Self {
        Endpoint(path: path, method: .patch, query: query, headers: headers, body: .json(value), reader: .own)
    }

    /// Changes a resource with a value as JSON; gives what the type makes of the answer.
    @_disfavoredOverload
    public static func patch(
        _ path: RequestPath,
        query: [URLQueryItem],
        headers: HTTPHeaders = HTTPHeaders(),
        json value: some Encodable & Sendable
    ) -> Self {
        patch(path, query: QueryBuilder(query), headers: headers, json: value)
    }
}
