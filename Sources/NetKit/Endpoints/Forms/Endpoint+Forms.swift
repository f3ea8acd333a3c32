// A form in a `POST` request, once for each kind of result, as in `Endpoint+Verbs`.

extension Endpoint where Response: Decodable {
    /// Creates a `POST` request with the fields of a form, whose response body is decoded.
    public static func post(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        form: QueryBuilder
    ) -> Self {
        Self(path: path, method: .post, query: query, headers: headers, body: .form(form), reader: .decoded)
    }

    /// Creates a `POST` request with a form of fields and files, whose response body is decoded.
    public static func post(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        multipart form: MultipartForm
    ) -> Self {
        Self(path: path, method: .post, query: query, headers: headers, body: .multipart(form), reader: .decoded)
    }
}

extension Endpoint where Response == Void {
    /// Creates a `POST` request with the fields of a form, whose response body is ignored.
    public static func post(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        form: QueryBuilder
    ) -> Self {
        Self(path: path, method: .post, query: query, headers: headers, body: .form(form), reader: .ignored)
    }

    /// Creates a `POST` request with a form of fields and files, whose response body is ignored.
    public static func post(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        multipart form: MultipartForm
    ) -> Self {
        Self(path: path, method: .post, query: query, headers: headers, body: .multipart(form), reader: .ignored)
    }
}

extension Endpoint where Response: EndpointResponse {
    /// Creates a `POST` request with the fields of a form, whose response type reads the response.
    @_disfavoredOverload
    public static func post(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        form: QueryBuilder
    ) -> Self {
        Self(path: path, method: .post, query: query, headers: headers, body: .form(form), reader: .own)
    }

    /// Creates a `POST` request with a form of fields and files, whose response type reads the response.
    @_disfavoredOverload
    public static func post(
        _ path: RequestPath,
        query: QueryBuilder = [:],
        headers: HTTPHeaders = [:],
        multipart form: MultipartForm
    ) -> Self {
        Self(path: path, method: .post, query: query, headers: headers, body: .multipart(form), reader: .own)
    }
}
