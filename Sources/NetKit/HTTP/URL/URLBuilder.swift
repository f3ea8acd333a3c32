public import Foundation

/// Makes a URL of a base, paths and a query, by the rule by which a client joins them.
///
/// ```swift
/// let url = try URLBuilder(base: "https://api.com").adding(path: "/v1").adding(path: "users/\(id)").build()
/// ```
/// There is exactly one slash between the base's own path and what is added; the base's query comes first; fragments are
/// dropped; an empty path changes nothing. Interpolated values stay one segment, as ``RequestPath`` says.
public struct URLBuilder: Sendable {
    private let base: Result<URL, NetKitError>
    private var paths: [RequestPath] = []
    private var query = QueryBuilder()

    /// Creates a builder.
    public init(base: URL) {
        self.base = .success(base)
    }

    /// Creates a builder from a text; one that is no URL surfaces from `build()`.
    @_disfavoredOverload
    public init(base: String) {
        self.base = Result { () throws(NetKitError) in
            guard let url = URL(string: base) else {
                let shown = NetKitError.oneLine(Redaction.withoutQuery(base), limit: 200)
                throw NetKitError(.invalidURL, "The base \"\(shown)\" is no URL. Write https://…")
            }
            return url
        }
    }

    /// The builder with a path added after those that are there.
    public func adding(path: RequestPath) -> URLBuilder {
        var builder = self
        builder.paths.append(path)
        return builder
    }

    /// The builder with items added to the query.
    public func adding(query: QueryBuilder) -> URLBuilder {
        var builder = self
        builder.query.add(query)
        return builder
    }

    /// The builder with items added to the query.
    public func adding(query: [URLQueryItem]) -> URLBuilder {
        adding(query: QueryBuilder(query))
    }

    /// The URL.
    ///
    /// - Returns: An absolute URL that a client can send to.
    /// - Throws: `.invalidURL` where the base is unusable or a value would leave its segment, `.encoding` where a value of the
    ///   query cannot be written.
    public func build() throws(NetKitError) -> URL {
        var url = try base.get()
        for path in paths where !path.encoded.isEmpty || path.problem != nil {
            guard !path.isAbsolute else {
                throw NetKitError(.invalidURL, "\"\(path.shown)\" is a whole URL; give a path to add.")
            }
            url = try HTTPRequest(.get, path).resolved(against: BaseURL(url)).url
        }
        return try HTTPRequest(.get, "", query: query).resolved(against: BaseURL(url)).url
    }
}
