import Foundation

extension RequestSending {
    /// The pages of a list whose page names the next one by a cursor.
    ///
    /// ```swift
    /// for try await page in client.pages(.feed(), next: \.nextCursor, query: "cursor") { … }
    /// for try await item in client.pages(.feed(), next: \.nextCursor, query: "cursor").items(\.items) { … }
    /// ```
    /// - Parameters:
    ///   - endpoint: The first page.
    ///   - cursor: Where a page has the cursor of the next one; nil there is the end.
    ///   - query: The query item that carries the cursor.
    ///   - limit: How many pages there may be; more are an error.
    ///   - options: What the calls may set for themselves.
    /// - Returns: The pages.
    public func pages<Page: Sendable, Cursor: QueryConvertible & Sendable>(
        _ endpoint: Endpoint<Page>,
        next cursor: any KeyPath<Page, Cursor?> & Sendable,
        query: String,
        upTo limit: Int = 10_000,
        options: CallOptions = CallOptions()
    ) -> Pages<Page> {
        pages(endpoint, upTo: limit, options: options) { page, endpoint in
            page[keyPath: cursor].map { endpoint.setting(query, $0) }
        }
    }

    /// The pages of a list whose page names the next one by a cursor, and says whether there is one.
    ///
    /// - Parameters:
    ///   - endpoint: The first page.
    ///   - cursor: Where a page has the cursor of the next one; nil there is the end.
    ///   - hasMore: Where a page says whether there is another; false is the end.
    ///   - query: The query item that carries the cursor.
    ///   - limit: How many pages there may be; more are an error.
    ///   - options: What the calls may set for themselves.
    /// - Returns: The pages.
    public func pages<Page: Sendable, Cursor: QueryConvertible & Sendable>(
        _ endpoint: Endpoint<Page>,
        next cursor: any KeyPath<Page, Cursor?> & Sendable,
        hasMore: any KeyPath<Page, Bool> & Sendable,
        query: String,
        upTo limit: Int = 10_000,
        options: CallOptions = CallOptions()
    ) -> Pages<Page> {
        pages(endpoint, upTo: limit, options: options) { page, endpoint in
            guard page[keyPath: hasMore] else { return nil }
            return page[keyPath: cursor].map { endpoint.setting(query, $0) }
        }
    }

    /// The pages of a list, the next one made by a function; nil is the end.
    ///
    /// ```swift
    /// client.pages(.search("x")) { page, endpoint in
    ///     page.next.map { next in endpoint.setting("after", next) }
    /// }
    /// ```
    public func pages<Page: Sendable>(
        _ endpoint: Endpoint<Page>,
        upTo limit: Int = 10_000,
        options: CallOptions = CallOptions(),
        next: @escaping @Sendable (Page, Endpoint<Page>) async throws -> Endpoint<Page>?
    ) -> Pages<Page> {
        Pages(sender: self, first: endpoint, limit: limit, options: options) { try await next($0.page, $1) }
    }

    /// The pages of a list that is asked for by number; a page without items is the end, and not given.
    ///
    /// - Parameters:
    ///   - endpoint: The list.
    ///   - query: The query item that carries the number.
    ///   - first: The number of the first page.
    ///   - limit: How many pages there may be; more are an error.
    ///   - options: What the calls may set for themselves.
    ///   - items: The items of a page.
    /// - Returns: The pages.
    public func pages<Page: Sendable, Item>(
        _ endpoint: Endpoint<Page>,
        number query: String,
        from first: Int = 1,
        upTo limit: Int = 10_000,
        options: CallOptions = CallOptions(),
        items: @escaping @Sendable (Page) -> [Item]
    ) -> Pages<Page> {
        steps(endpoint, query, from: first, limit, options) { page, number in
            items(page).isEmpty || number == .max ? nil : number + 1
        }
    }

    /// The pages of a list that is asked for by offset; a page with fewer items than asked for is the last.
    ///
    /// - Parameters:
    ///   - endpoint: The list.
    ///   - query: The query item that carries the offset.
    ///   - count: How many items a page has, and the query item that says so, if any.
    ///   - limit: How many pages there may be; more are an error.
    ///   - options: What the calls may set for themselves.
    ///   - items: The items of a page.
    /// - Returns: The pages.
    public func pages<Page: Sendable, Item>(
        _ endpoint: Endpoint<Page>,
        offset query: String,
        count: (Int, query: String?),
        upTo limit: Int = 10_000,
        options: CallOptions = CallOptions(),
        items: @escaping @Sendable (Page) -> [Item]
    ) -> Pages<Page> {
        let (size, name) = count
        let sized = name.map { endpoint.setting($0, size) } ?? endpoint
        return steps(sized, query, from: 0, limit, options) { page, offset in
            let found = items(page).count
            let (following, overflow) = offset.addingReportingOverflow(found)
            return found == 0 || found < size || overflow ? nil : following
        }
    }

    /// The pages of a list whose responses point to the next one by a `Link` field (RFC 8288).
    ///
    /// A link to another origin is refused: it would take headers of this endpoint along.
    ///
    /// - Parameters:
    ///   - endpoint: The first page.
    ///   - relation: What the link to the next page is called.
    ///   - limit: How many pages there may be; more are an error.
    ///   - options: What the calls may set for themselves.
    /// - Returns: The pages.
    public func linkedPages<Page: Sendable>(
        _ endpoint: Endpoint<Page>,
        relation: String = "next",
        upTo limit: Int = 10_000,
        options: CallOptions = CallOptions()
    ) -> Pages<Page> {
        let relation = relation.lowercased()
        return Pages(sender: self, first: endpoint, limit: limit, options: options) { response, endpoint in
            let links = WebLink.links(in: response.headers).filter { $0["anchor"] == nil }
            guard let link = links.first(where: { $0.relations.contains(relation) }) else { return nil }
            guard let base = response.url, let target = RedirectPolicy.resolve(link.target, against: base),
                let origin = response.origin, Origin(target) == origin
            else {
                let shown = NetKitError.oneLine(Redaction.withoutQuery(link.target), limit: 200)
                let message = "The link to the next page, \"\(shown)\", does not stay at the origin that was asked."
                throw NetKitError(.redirect, message, outcome: .answered)
            }
            var following = endpoint
            following.path = RequestPath(raw: target.absoluteString)
            following.query = QueryBuilder()
            return following
        }
    }

    private func steps<Page: Sendable>(
        _ endpoint: Endpoint<Page>,
        _ query: String,
        from first: Int,
        _ limit: Int,
        _ options: CallOptions,
        _ next: @escaping @Sendable (Page, Int) -> Int?
    ) -> Pages<Page> {
        Pages(sender: self, first: endpoint.setting(query, first), limit: limit, options: options) {
            response,
            endpoint in
            // The number stands in the query of the page itself, so that walks do not share it.
            let current = endpoint.query.items.last { $0.name == query }?.value.flatMap { Int(digits: $0) }
            return next(response.page, current ?? first).map { endpoint.setting(query, $0) }
        }
    }
}

extension Endpoint {
    /// The endpoint with a query item set, in place of what it was.
    public func setting(_ query: String, _ value: (any QueryConvertible)?) -> Endpoint {
        var endpoint = self
        endpoint.query.set(query, value)
        return endpoint
    }
}
