public import Foundation

// The verbs, once for each kind of result. Bodies are encoded when the call begins, so that an error surfaces from `send`.

extension Endpoint where Response: Decodable {
    /// Reads a resource; gives a decoded value.
    public static func get(
        _ path: RequestPath,
        query: [URLQueryItem] = [],
        headers: HTTPHeaders = HTTPHeaders()
    ) -> Self {
        Endpoint(.get, path, query: query, headers: headers, body: nil, parser: .decoded)
    }

    /// Removes a resource; gives a decoded value.
    public static func delete(
        _ path: RequestPath,
        query: [URLQueryItem] = [],
        headers: HTTPHeaders = HTTPHeaders()
    ) -> Self {
        Endpoint(.delete, path, query: query, headers: headers, body: nil, parser: .decoded)
    }

    /// Hands something to a resource with a body; gives a decoded value.
    public static func post(
        _ path: RequestPath,
        query: [URLQueryItem] = [],
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody? = nil
    ) -> Self {
        Endpoint(.post, path, query: query, headers: headers, body: body, parser: .decoded)
    }

    /// Hands something to a resource with a value as JSON; gives a decoded value.
    public static func post(
        _ path: RequestPath,
        query: [URLQueryItem] = [],
        headers: HTTPHeaders = HTTPHeaders(),
        json value: some Encodable & Sendable
    ) -> Self {
        Endpoint(.post, path, query: query, headers: headers, body: .json(value), parser: .decoded)
    }

    /// Replaces a resource with a body; gives a decoded value.
    public static func put(
        _ path: RequestPath,
        query: [URLQueryItem] = [],
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody? = nil
    ) -> Self {
        Endpoint(.put, path, query: query, headers: headers, body: body, parser: .decoded)
    }

    /// Replaces a resource with a value as JSON; gives a decoded value.
    public static func put(
        _ path: RequestPath,
        query: [URLQueryItem] = [],
        headers: HTTPHeaders = HTTPHeaders(),
        json value: some Encodable & Sendable
    ) -> Self {
        Endpoint(.put, path, query: query, headers: headers, body: .json(value), parser: .decoded)
    }

    /// Changes a resource with a body; gives a decoded value.
    public static func patch(
        _ path: RequestPath,
        query: [URLQueryItem] = [],
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody? = nil
    ) -> Self {
        Endpoint(.patch, path, query: query, headers: headers, body: body, parser: .decoded)
    }

    /// Changes a resource with a value as JSON; gives a decoded value.
    public static func patch(
        _ path: RequestPath,
        query: [URLQueryItem] = [],
        headers: HTTPHeaders = HTTPHeaders(),
        json value: some Encodable & Sendable
    ) -> Self {
        Endpoint(.patch, path, query: query, headers: headers, body: .json(value), parser: .decoded)
    }
}

extension Endpoint where Response == Void {
    /// Reads a resource; gives nothing.
    public static func get(
        _ path: RequestPath,
        query: [URLQueryItem] = [],
        headers: HTTPHeaders = HTTPHeaders()
    ) -> Self {
        Endpoint(.get, path, query: query, headers: headers, body: nil, parser: .ignored)
    }

    /// Asks for the headers of a resource; gives nothing.
    public static func head(
        _ path: RequestPath,
        query: [URLQueryItem] = [],
        headers: HTTPHeaders = HTTPHeaders()
    ) -> Self {
        Endpoint(.head, path, query: query, headers: headers, body: nil, parser: .ignored)
    }

    /// Removes a resource; gives nothing.
    public static func delete(
        _ path: RequestPath,
        query: [URLQueryItem] = [],
        headers: HTTPHeaders = HTTPHeaders()
    ) -> Self {
        Endpoint(.delete, path, query: query, headers: headers, body: nil, parser: .ignored)
    }

    /// Hands something to a resource with a body; gives nothing.
    public static func post(
        _ path: RequestPath,
        query: [URLQueryItem] = [],
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody? = nil
    ) -> Self {
        Endpoint(.post, path, query: query, headers: headers, body: body, parser: .ignored)
    }

    /// Hands something to a resource with a value as JSON; gives nothing.
    public static func post(
        _ path: RequestPath,
        query: [URLQueryItem] = [],
        headers: HTTPHeaders = HTTPHeaders(),
        json value: some Encodable & Sendable
    ) -> Self {
        Endpoint(.post, path, query: query, headers: headers, body: .json(value), parser: .ignored)
    }

    /// Replaces a resource with a body; gives nothing.
    public static func put(
        _ path: RequestPath,
        query: [URLQueryItem] = [],
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody? = nil
    ) -> Self {
        Endpoint(.put, path, query: query, headers: headers, body: body, parser: .ignored)
    }

    /// Replaces a resource with a value as JSON; gives nothing.
    public static func put(
        _ path: RequestPath,
        query: [URLQueryItem] = [],
        headers: HTTPHeaders = HTTPHeaders(),
        json value: some Encodable & Sendable
    ) -> Self {
        Endpoint(.put, path, query: query, headers: headers, body: .json(value), parser: .ignored)
    }

    /// Changes a resource with a body; gives nothing.
    public static func patch(
        _ path: RequestPath,
        query: [URLQueryItem] = [],
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody? = nil
    ) -> Self {
        Endpoint(.patch, path, query: query, headers: headers, body: body, parser: .ignored)
    }

    /// Changes a resource with a value as JSON; gives nothing.
    public static func patch(
        _ path: RequestPath,
        query: [URLQueryItem] = [],
        headers: HTTPHeaders = HTTPHeaders(),
        json value: some Encodable & Sendable
    ) -> Self {
        Endpoint(.patch, path, query: query, headers: headers, body: .json(value), parser: .ignored)
    }
}

// Disfavoured, so that a call whose result nobody looks at is one that gives nothing.
extension Endpoint where Response == HTTPResponse {
    /// Reads a resource; gives the answer as it is.
    @_disfavoredOverload
    public static func get(
        _ path: RequestPath,
        query: [URLQueryItem] = [],
        headers: HTTPHeaders = HTTPHeaders()
    ) -> Self {
        Endpoint(.get, path, query: query, headers: headers, body: nil, parser: .whole)
    }

    /// Asks for the headers of a resource; gives the answer as it is.
    @_disfavoredOverload
    public static func head(
        _ path: RequestPath,
        query: [URLQueryItem] = [],
        headers: HTTPHeaders = HTTPHeaders()
    ) -> Self {
        Endpoint(.head, path, query: query, headers: headers, body: nil, parser: .whole)
    }

    /// Removes a resource; gives the answer as it is.
    @_disfavoredOverload
    public static func delete(
        _ path: RequestPath,
        query: [URLQueryItem] = [],
        headers: HTTPHeaders = HTTPHeaders()
    ) -> Self {
        Endpoint(.delete, path, query: query, headers: headers, body: nil, parser: .whole)
    }

    /// Hands something to a resource with a body; gives the answer as it is.
    @_disfavoredOverload
    public static func post(
        _ path: RequestPath,
        query: [URLQueryItem] = [],
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody? = nil
    ) -> Self {
        Endpoint(.post, path, query: query, headers: headers, body: body, parser: .whole)
    }

    /// Hands something to a resource with a value as JSON; gives the answer as it is.
    @_disfavoredOverload
    public static func post(
        _ path: RequestPath,
        query: [URLQueryItem] = [],
        headers: HTTPHeaders = HTTPHeaders(),
        json value: some Encodable & Sendable
    ) -> Self {
        Endpoint(.post, path, query: query, headers: headers, body: .json(value), parser: .whole)
    }

    /// Replaces a resource with a body; gives the answer as it is.
    @_disfavoredOverload
    public static func put(
        _ path: RequestPath,
        query: [URLQueryItem] = [],
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody? = nil
    ) -> Self {
        Endpoint(.put, path, query: query, headers: headers, body: body, parser: .whole)
    }

    /// Replaces a resource with a value as JSON; gives the answer as it is.
    @_disfavoredOverload
    public static func put(
        _ path: RequestPath,
        query: [URLQueryItem] = [],
        headers: HTTPHeaders = HTTPHeaders(),
        json value: some Encodable & Sendable
    ) -> Self {
        Endpoint(.put, path, query: query, headers: headers, body: .json(value), parser: .whole)
    }

    /// Changes a resource with a body; gives the answer as it is.
    @_disfavoredOverload
    public static func patch(
        _ path: RequestPath,
        query: [URLQueryItem] = [],
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody? = nil
    ) -> Self {
        Endpoint(.patch, path, query: query, headers: headers, body: body, parser: .whole)
    }

    /// Changes a resource with a value as JSON; gives the answer as it is.
    @_disfavoredOverload
    public static func patch(
        _ path: RequestPath,
        query: [URLQueryItem] = [],
        headers: HTTPHeaders = HTTPHeaders(),
        json value: some Encodable & Sendable
    ) -> Self {
        Endpoint(.patch, path, query: query, headers: headers, body: .json(value), parser: .whole)
    }
}
