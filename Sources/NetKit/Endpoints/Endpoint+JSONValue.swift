// A JSON literal whose values differ in type, once for each kind of result, as in `Endpoint+Verbs`.

extension Endpoint where Response: Decodable {
    /// Creates a `POST` request with a JSON value, whose response body is decoded.
    public static func post(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        json value: JSONValue
    ) -> Self {
        Self(path: path, method: .post, query: query, headers: headers, body: .json(value), reader: .decoded)
    }

    /// Creates a `PUT` request with a JSON value, whose response body is decoded.
    public static func put(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        json value: JSONValue
    ) -> Self {
        Self(path: path, method: .put, query: query, headers: headers, body: .json(value), reader: .decoded)
    }

    /// Creates a `PATCH` request with a JSON value, whose response body is decoded.
    public static func patch(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        json value: JSONValue
    ) -> Self {
        Self(path: path, method: .patch, query: query, headers: headers, body: .json(value), reader: .decoded)
    }
}

extension Endpoint where Response == Void {
    /// Creates a `POST` request with a JSON value, whose response body is ignored.
    public static func post(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        json value: JSONValue
    ) -> Self {
        Self(path: path, method: .post, query: query, headers: headers, body: .json(value), reader: .ignored)
    }

    /// Creates a `PUT` request with a JSON value, whose response body is ignored.
    public static func put(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        json value: JSONValue
    ) -> Self {
        Self(path: path, method: .put, query: query, headers: headers, body: .json(value), reader: .ignored)
    }

    /// Creates a `PATCH` request with a JSON value, whose response body is ignored.
    public static func patch(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        json value: JSONValue
    ) -> Self {
        Self(path: path, method: .patch, query: query, headers: headers, body: .json(value), reader: .ignored)
    }
}

extension Endpoint where Response: EndpointResponse {
    /// Creates a `POST` request with a JSON value, whose response type reads the response.
    @_disfavoredOverload
    public static func post(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        json value: JSONValue
    ) -> Self {
        Self(path: path, method: .post, query: query, headers: headers, body: .json(value), reader: .own)
    }

    /// Creates a `PUT` request with a JSON value, whose response type reads the response.
    @_disfavoredOverload
    public static func put(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        json value: JSONValue
    ) -> Self {
        Self(path: path, method: .put, query: query, headers: headers, body: .json(value), reader: .own)
    }

    /// Creates a `PATCH` request with a JSON value, whose response type reads the response.
    @_disfavoredOverload
    public static func patch(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        json value: JSONValue
    ) -> Self {
        Self(path: path, method: .patch, query: query, headers: headers, body: .json(value), reader: .own)
    }
}
