// Each verb, once for each kind of result. The last kind is disfavored: a call whose result is not used returns
// nothing, and a type that is also `Decodable` uses the first kind, whose reader prefers the type's own initializer.

extension Endpoint where Response: Decodable {
    /// Creates a `GET` request whose response body is decoded.
    public static func get(_ path: RequestPath, query: QueryBuilder = [:], headers: HTTPHeaders = [:]) -> Self {
        Self(path: path, method: .get, query: query, headers: headers, reader: .decoded)
    }

    /// Creates a `DELETE` request whose response body is decoded.
    public static func delete(_ path: RequestPath, query: QueryBuilder = [:], headers: HTTPHeaders = [:]) -> Self {
        Self(path: path, method: .delete, query: query, headers: headers, reader: .decoded)
    }

    /// Creates a `POST` request with a body or none, whose response body is decoded.
    ///
    /// `json:` takes a literal whose values may differ in type, or a value of your own type. `json: nil` is no body;
    /// `json: .null`, or a nil value of your own type, is the `null` of JSON. Two bodies throw `.invalidRequest` when
    /// the call is sent.
    public static func post(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        json: JSONValue? = nil,
        form: QueryBuilder? = nil,
        multipart: MultipartForm? = nil
    ) -> Self {
        let body = HTTPBody.one(of: body, json, form, multipart)
        return Self(path: path, method: .post, query: query, headers: headers, body: body, reader: .decoded)
    }

    /// Creates a `POST` request with a value as JSON, whose response body is decoded.
    public static func post(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        json value: some Encodable & Sendable
    ) -> Self {
        Self(path: path, method: .post, query: query, headers: headers, body: .json(value), reader: .decoded)
    }

    /// Creates a `PUT` request with a body or none, whose response body is decoded.
    public static func put(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        json: JSONValue? = nil
    ) -> Self {
        let body = HTTPBody.one(of: body, json)
        return Self(path: path, method: .put, query: query, headers: headers, body: body, reader: .decoded)
    }

    /// Creates a `PUT` request with a value as JSON, whose response body is decoded.
    public static func put(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        json value: some Encodable & Sendable
    ) -> Self {
        Self(path: path, method: .put, query: query, headers: headers, body: .json(value), reader: .decoded)
    }

    /// Creates a `PATCH` request with a body or none, whose response body is decoded.
    public static func patch(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        json: JSONValue? = nil
    ) -> Self {
        let body = HTTPBody.one(of: body, json)
        return Self(path: path, method: .patch, query: query, headers: headers, body: body, reader: .decoded)
    }

    /// Creates a `PATCH` request with a value as JSON, whose response body is decoded.
    public static func patch(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        json value: some Encodable & Sendable
    ) -> Self {
        Self(path: path, method: .patch, query: query, headers: headers, body: .json(value), reader: .decoded)
    }
}

extension Endpoint where Response == Void {
    /// Creates a `GET` request whose response body is ignored.
    public static func get(_ path: RequestPath, query: QueryBuilder = [:], headers: HTTPHeaders = [:]) -> Self {
        Self(path: path, method: .get, query: query, headers: headers, reader: .ignored)
    }

    /// Creates a `HEAD` request whose response body is ignored.
    public static func head(_ path: RequestPath, query: QueryBuilder = [:], headers: HTTPHeaders = [:]) -> Self {
        Self(path: path, method: .head, query: query, headers: headers, reader: .ignored)
    }

    /// Creates a `DELETE` request whose response body is ignored.
    public static func delete(_ path: RequestPath, query: QueryBuilder = [:], headers: HTTPHeaders = [:]) -> Self {
        Self(path: path, method: .delete, query: query, headers: headers, reader: .ignored)
    }

    /// Creates a `POST` request with a body or none, whose response body is ignored.
    public static func post(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        json: JSONValue? = nil,
        form: QueryBuilder? = nil,
        multipart: MultipartForm? = nil
    ) -> Self {
        let body = HTTPBody.one(of: body, json, form, multipart)
        return Self(path: path, method: .post, query: query, headers: headers, body: body, reader: .ignored)
    }

    /// Creates a `POST` request with a value as JSON, whose response body is ignored.
    public static func post(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        json value: some Encodable & Sendable
    ) -> Self {
        Self(path: path, method: .post, query: query, headers: headers, body: .json(value), reader: .ignored)
    }

    /// Creates a `PUT` request with a body or none, whose response body is ignored.
    public static func put(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        json: JSONValue? = nil
    ) -> Self {
        let body = HTTPBody.one(of: body, json)
        return Self(path: path, method: .put, query: query, headers: headers, body: body, reader: .ignored)
    }

    /// Creates a `PUT` request with a value as JSON, whose response body is ignored.
    public static func put(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        json value: some Encodable & Sendable
    ) -> Self {
        Self(path: path, method: .put, query: query, headers: headers, body: .json(value), reader: .ignored)
    }

    /// Creates a `PATCH` request with a body or none, whose response body is ignored.
    public static func patch(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        json: JSONValue? = nil
    ) -> Self {
        let body = HTTPBody.one(of: body, json)
        return Self(path: path, method: .patch, query: query, headers: headers, body: body, reader: .ignored)
    }

    /// Creates a `PATCH` request with a value as JSON, whose response body is ignored.
    public static func patch(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        json value: some Encodable & Sendable
    ) -> Self {
        Self(path: path, method: .patch, query: query, headers: headers, body: .json(value), reader: .ignored)
    }
}

extension Endpoint where Response: EndpointResponse {
    /// Creates a `GET` request whose response type reads the response.
    @_disfavoredOverload
    public static func get(_ path: RequestPath, query: QueryBuilder = [:], headers: HTTPHeaders = [:]) -> Self {
        Self(path: path, method: .get, query: query, headers: headers, reader: .own)
    }

    /// Creates a `HEAD` request whose response type reads the response.
    @_disfavoredOverload
    public static func head(_ path: RequestPath, query: QueryBuilder = [:], headers: HTTPHeaders = [:]) -> Self {
        Self(path: path, method: .head, query: query, headers: headers, reader: .own)
    }

    /// Creates a `DELETE` request whose response type reads the response.
    @_disfavoredOverload
    public static func delete(_ path: RequestPath, query: QueryBuilder = [:], headers: HTTPHeaders = [:]) -> Self {
        Self(path: path, method: .delete, query: query, headers: headers, reader: .own)
    }

    /// Creates a `POST` request with a body or none, whose response type reads the response.
    @_disfavoredOverload
    public static func post(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        json: JSONValue? = nil,
        form: QueryBuilder? = nil,
        multipart: MultipartForm? = nil
    ) -> Self {
        let body = HTTPBody.one(of: body, json, form, multipart)
        return Self(path: path, method: .post, query: query, headers: headers, body: body, reader: .own)
    }

    /// Creates a `POST` request with a value as JSON, whose response type reads the response.
    @_disfavoredOverload
    public static func post(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        json value: some Encodable & Sendable
    ) -> Self {
        Self(path: path, method: .post, query: query, headers: headers, body: .json(value), reader: .own)
    }

    /// Creates a `PUT` request with a body or none, whose response type reads the response.
    @_disfavoredOverload
    public static func put(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        json: JSONValue? = nil
    ) -> Self {
        let body = HTTPBody.one(of: body, json)
        return Self(path: path, method: .put, query: query, headers: headers, body: body, reader: .own)
    }

    /// Creates a `PUT` request with a value as JSON, whose response type reads the response.
    @_disfavoredOverload
    public static func put(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        json value: some Encodable & Sendable
    ) -> Self {
        Self(path: path, method: .put, query: query, headers: headers, body: .json(value), reader: .own)
    }

    /// Creates a `PATCH` request with a body or none, whose response type reads the response.
    @_disfavoredOverload
    public static func patch(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        json: JSONValue? = nil
    ) -> Self {
        let body = HTTPBody.one(of: body, json)
        return Self(path: path, method: .patch, query: query, headers: headers, body: body, reader: .own)
    }

    /// Creates a `PATCH` request with a value as JSON, whose response type reads the response.
    @_disfavoredOverload
    public static func patch(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        json value: some Encodable & Sendable
    ) -> Self {
        Self(path: path, method: .patch, query: query, headers: headers, body: .json(value), reader: .own)
    }
}

extension HTTPBody {
    /// Returns the one body that a verb was given.
    ///
    /// If there are several, it throws an error when the call begins.
    static func one(
        of body: HTTPBody?,
        _ json: JSONValue?,
        _ form: QueryBuilder? = nil,
        _ multipart: MultipartForm? = nil
    ) -> HTTPBody? {
        guard json != nil || form != nil || multipart != nil else { return body }
        let bodies: KeyValuePairs<String, HTTPBody?> = [
            "body:": body, "json:": json.map { .json($0) }, "form:": form.map { .form($0) },
            "multipart:": multipart.map { .multipart($0) },
        ]
        let given = bodies.filter { $0.value != nil }
        guard given.count > 1 else { return given[0].value }
        let names = given.map(\.key).joined(separator: " and ")
        return .deferred {
            throw NetKitError(
                .invalidRequest,
                "A call sends one body, and this one has \(names). Pass only one of them."
            )
        }
    }
}
