public import Foundation

extension Endpoint where Response: Decodable {
    /// Reads a resource; gives a decoded value.
    public static func get(
        _ path: RequestPath,
        query: QueryBuilder = QueryBuilder(),
        headers: HTTPHeaders = HTTPHeaders()
    ) -> Self {
        Endpoint(path: path, method: .get, query: query, headers: headers, reader: .decoded)
    }

    /// Reads a resource; gives a decoded value.
    public static func get(
        _ path: RequestPath,
        query: [URLQueryItem],
        headers: HTTPHeaders = HTTPHeaders()
    ) -> Self {
        get(path, query: QueryBuilder(query), headers: headers)
    }

    /// Removes a resource; gives a decoded value.
    public static func delete(
        _ path: RequestPath,
        query: QueryBuilder = QueryBuilder(),
        headers: HTTPHeaders = HTTPHeaders()
    ) -> Self {
        Endpoint(path: path, method: .delete, query: query, headers: headers, reader: .decoded)
    }

    /// Removes a resource; gives a decoded value.
    public static func delete(
        _ path: RequestPath,
        query: [URLQueryItem],
        headers: HTTPHeaders = HTTPHeaders()
    ) -> Self {
        delete(path, query: QueryBuilder(query), headers: headers)
    }

    /// Hands something to a resource with a body; gives a decoded value.
    public static func post(
        _ path: RequestPath,
        query: QueryBuilder = QueryBuilder(),
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody? = nil
    ) -> Self {
        Endpoint(path: path, method: .post, query: query, headers: headers, body: body, reader: .decoded)
    }

    /// Hands something to a resource with a body; gives a decoded value.
    public static func post(
        _ path: RequestPath,
        query: [URLQueryItem],
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody? = nil
    ) -> Self {
        post(path, query: QueryBuilder(query), headers: headers, body: body)
    }

    /// Hands something to a resource with a value as JSON; gives a decoded value.
    public static func post(
        _ path: RequestPath,
        query: QueryBuilder = QueryBuilder(),
        headers: HTTPHeaders = HTTPHeaders(),
        json value: some Encodable & Sendable
    ) -> Self {
        Endpoint(path: path, method: .post, query: query, headers: headers, body: .json(value), reader: .decoded)
    }

    /// Hands something to a resource with a value as JSON; gives a decoded value.
    public static func post(
        _ path: RequestPath,
        query: [URLQueryItem],
        headers: HTTPHeaders = HTTPHeaders(),
        json value: some Encodable & Sendable
    ) -> Self {
        post(path, query: QueryBuilder(query), headers: headers, json: value)
    }

    /// Replaces a resource with a body; gives a decoded value.
    public static func put(
        _ path: RequestPath,
        query: QueryBuilder = QueryBuilder(),
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody? = nil
    ) -> Self {
        Endpoint(path: path, method: .put, query: query, headers: headers, body: body, reader: .decoded)
    }

    /// Replaces a resource with a body; gives a decoded value.
    public static func put(
        _ path: RequestPath,
        query: [URLQueryItem],
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody? = nil
    ) -> Self {
        put(path, query: QueryBuilder(query), headers: headers, body: body)
    }

    /// Replaces a resource with a value as JSON; gives a decoded value.
    public static func put(
        _ path: RequestPath,
        query: QueryBuilder = QueryBuilder(),
        headers: HTTPHeaders = HTTPHeaders(),
        json value: some Encodable & Sendable
    ) -> Self {
        Endpoint(path: path, method: .put, query: query, headers: headers, body: .json(value), reader: .decoded)
    }

    /// Replaces a resource with a value as JSON; gives a decoded value.
    public static func put(
        _ path: RequestPath,
        query: [URLQueryItem],
        headers: HTTPHeaders = HTTPHeaders(),
        json value: some Encodable & Sendable
    ) -> Self {
        put(path, query: QueryBuilder(query), headers: headers, json: value)
    }

    /// Changes a resource with a body; gives a decoded value.
    public static func patch(
        _ path: RequestPath,
        query: QueryBuilder = QueryBuilder(),
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody? = nil
    ) -> Self {
        Endpoint(path: path, method: .patch, query: query, headers: headers, body: body, reader: .decoded)
    }

    /// Changes a resource with a body; gives a decoded value.
    public static func patch(
        _ path: RequestPath,
        query: [URLQueryItem],
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody? = nil
    ) -> Self {
        patch(path, query: QueryBuilder(query), headers: headers, body: body)
    }

    /// Changes a resource with a value as JSON; gives a decoded value.
    public static func patch(
        _ path: RequestPath,
        query: QueryBuilder = QueryBuilder(),
        headers: HTTPHeaders = HTTPHeaders(),
        json value: some Encodable & Sendable
    ) -> Self {
        Endpoint(path: path, method: .patch, query: query, headers: headers, body: .json(value), reader: .decoded)
    }

    /// Changes a resource with a value as JSON; gives a decoded value.
    public static func patch(
        _ path: RequestPath,
        query: [URLQueryItem],
        headers: HTTPHeaders = HTTPHeaders(),
        json value: some Encodable & Sendable
    ) -> Self {
        patch(path, query: QueryBuilder(query), headers: headers, json: value)
    }
}
