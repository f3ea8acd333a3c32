public import Foundation

// Disfavoured, so that a call whose result nobody looks at is one that gives nothing.
extension Endpoint where Response == HTTPResponse {
    /// Reads a resource; gives the answer as it is.
    @_disfavoredOverload
    public static func get(
        _ path: RequestPath,
        query: QueryBuilder = QueryBuilder(),
        headers: HTTPHeaders = HTTPHeaders()
    ) -> Self {
        Endpoint(path: path, method: .get, query: query, headers: headers, reader: .whole)
    }

    /// Reads a resource; gives the answer as it is.
    @_disfavoredOverload
    public static func get(
        _ path: RequestPath,
        query: [URLQueryItem],
        headers: HTTPHeaders = HTTPHeaders()
    ) -> Self {
        get(path, query: QueryBuilder(query), headers: headers)
    }

    /// Asks for the headers of a resource; gives the answer as it is.
    @_disfavoredOverload
    public static func head(
        _ path: RequestPath,
        query: QueryBuilder = QueryBuilder(),
        headers: HTTPHeaders = HTTPHeaders()
    ) -> Self {
        Endpoint(path: path, method: .head, query: query, headers: headers, reader: .whole)
    }

    /// Asks for the headers of a resource; gives the answer as it is.
    @_disfavoredOverload
    public static func head(
        _ path: RequestPath,
        query: [URLQueryItem],
        headers: HTTPHeaders = HTTPHeaders()
    ) -> Self {
        head(path, query: QueryBuilder(query), headers: headers)
    }

    /// Removes a resource; gives the answer as it is.
    @_disfavoredOverload
    public static func delete(
        _ path: RequestPath,
        query: QueryBuilder = QueryBuilder(),
        headers: HTTPHeaders = HTTPHeaders()
    ) -> Self {
        Endpoint(path: path, method: .delete, query: query, headers: headers, reader: .whole)
    }

    /// Removes a resource; gives the answer as it is.
    @_disfavoredOverload
    public static func delete(
        _ path: RequestPath,
        query: [URLQueryItem],
        headers: HTTPHeaders = HTTPHeaders()
    ) -> Self {
        delete(path, query: QueryBuilder(query), headers: headers)
    }

    /// Hands something to a resource with a body; gives the answer as it is.
    @_disfavoredOverload
    public static func post(
        _ path: RequestPath,
        query: QueryBuilder = QueryBuilder(),
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody? = nil
    ) -> Self {
        Endpoint(path: path, method: .post, query: query, headers: headers, body: body, reader: .whole)
    }

    /// Hands something to a resource with a body; gives the answer as it is.
    @_disfavoredOverload
    public static func post(
        _ path: RequestPath,
        query: [URLQueryItem],
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody? = nil
    ) -> Self {
        post(path, query: QueryBuilder(query), headers: headers, body: body)
    }

    /// Hands something to a resource with a value as JSON; gives the answer as it is.
    @_disfavoredOverload
    public static func post(
        _ path: RequestPath,
        query: QueryBuilder = QueryBuilder(),
        headers: HTTPHeaders = HTTPHeaders(),
        json value: some Encodable & Sendable
    ) -> Self {
        Endpoint(path: path, method: .post, query: query, headers: headers, body: .json(value), reader: .whole)
    }

    /// Hands something to a resource with a value as JSON; gives the answer as it is.
    @_disfavoredOverload
    public static func post(
        _ path: RequestPath,
        query: [URLQueryItem],
        headers: HTTPHeaders = HTTPHeaders(),
        json value: some Encodable & Sendable
    ) -> Self {
        post(path, query: QueryBuilder(query), headers: headers, json: value)
    }

    /// Replaces a resource with a body; gives the answer as it is.
    @_disfavoredOverload
    public static func put(
        _ path: RequestPath,
        query: QueryBuilder = QueryBuilder(),
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody? = nil
    ) -> Self {
        Endpoint(path: path, method: .put, query: query, headers: headers, body: body, reader: .whole)
    }

    /// Replaces a resource with a body; gives the answer as it is.
    @_disfavoredOverload
    public static func put(
        _ path: RequestPath,
        query: [URLQueryItem],
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody? = nil
    ) -> Self {
        put(path, query: QueryBuilder(query), headers: headers, body: body)
    }

    /// Replaces a resource with a value as JSON; gives the answer as it is.
    @_disfavoredOverload
    public static func put(
        _ path: RequestPath,
        query: QueryBuilder = QueryBuilder(),
        headers: HTTPHeaders = HTTPHeaders(),
        json value: some Encodable & Sendable
    ) -> Self {
        Endpoint(path: path, method: .put, query: query, headers: headers, body: .json(value), reader: .whole)
    }

    /// Replaces a resource with a value as JSON; gives the answer as it is.
    @_disfavoredOverload
    public static func put(
        _ path: RequestPath,
        query: [URLQueryItem],
        headers: HTTPHeaders = HTTPHeaders(),
        json value: some Encodable & Sendable
    ) -> Self {
        put(path, query: QueryBuilder(query), headers: headers, json: value)
    }

    /// Changes a resource with a body; gives the answer as it is.
    @_disfavoredOverload
    public static func patch(
        _ path: RequestPath,
        query: QueryBuilder = QueryBuilder(),
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody? = nil
    ) -> Self {
        Endpoint(path: path, method: .patch, query: query, headers: headers, body: body, reader: .whole)
    }

    /// Changes a resource with a body; gives the answer as it is.
    @_disfavoredOverload
    public static func patch(
        _ path: RequestPath,
        query: [URLQueryItem],
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody? = nil
    ) -> Self {
        patch(path, query: QueryBuilder(query), headers: headers, body: body)
    }

    /// Changes a resource with a value as JSON; gives the answer as it is.
    @_disfavoredOverload
    public static func patch(
        _ path: RequestPath,
        query: QueryBuilder = QueryBuilder(),
        headers: HTTPHeaders = HTTPHeaders(),
        json value: some Encodable & Sendable
    ) -> Self {
        Endpoint(path: path, method: .patch, query: query, headers: headers, body: .json(value), reader: .whole)
    }

    /// Changes a resource with a value as JSON; gives the answer as it is.
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
