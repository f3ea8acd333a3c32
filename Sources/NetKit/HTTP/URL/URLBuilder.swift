public import Foundation

/// A builder that makes a URL from a base, paths and a query, by the rules of a client.
///
/// ```swift
/// let url = try URLBuilder(base: "https://api.com").adding(path: "/v1").adding(path: "users/\(id)").build()
/// ```
/// There is exactly one slash between the base's own path and an added one. The base's query comes first, fragments are
/// dropped, and an empty path changes nothing. Interpolated values stay one segment, as ``RequestPath`` says.
public struct URLBuilder: Sendable {
    private let base: Result<URL, NetKitError>
    private var paths: [RequestPath] = []
    private var query = QueryBuilder()

    /// Creates a builder.
    public init(base: URL) { self.base = .success(base) }

    /// Creates a builder from a string; `build()` throws if it is not a URL.
    @_disfavoredOverload
    public init(base: String) {
        self.base = Result { () throws(NetKitError) in
            guard let url = URL(text: base) else {
                let shown = NetKitError.oneLine(Redaction.withoutQuery(base), limit: 200)
                throw NetKitError(.invalidURL, "The base \"\(shown)\" is not a URL. Write https://…")
            }
            return url
        }
    }

    /// Returns the builder with a path added after the existing ones.
    public func adding(path: RequestPath) -> URLBuilder {
        var builder = self
        builder.paths.append(path)
        return builder
    }

    /// Returns the builder with items added to the query.
    public func adding(query: QueryBuilder) -> URLBuilder {
        var builder = self
        builder.query.add(query)
        return builder
    }

    /// Returns the builder with items added to the query.
    public func adding(query: [URLQueryItem]) -> URLBuilder { adding(query: QueryBuilder(query)) }

    /// Builds the URL.
    ///
    /// - Returns: An absolute URL that a client can send to.
    /// - Throws: `.invalidURL` if the base is unusable or a value would leave its segment, `.encoding` if a value of
    ///   the query cannot be written.
    public func build() throws(NetKitError) -> URL {
        var url = try base.get()
        for path in paths where !path.encoded.isEmpty || path.problem != nil {
            guard !path.isAbsolute else {
                throw NetKitError(.invalidURL, "\"\(path.shown)\" is an absolute URL. Pass a path.")
            }
            url = try HTTPRequest(.get, path).resolved(against: BaseURL(url)).url
        }
        return try HTTPRequest(.get, "", query: query).resolved(against: BaseURL(url)).url
    }
}
