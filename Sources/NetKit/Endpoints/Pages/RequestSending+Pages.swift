import Foundation

extension RequestSending {
    /// Returns the pages of a list in which each page has a cursor of the next one.
    ///
    /// ```swift
    /// for try await page in client.pages(.feed(), next: \.nextCursor, query: "cursor") { … }
    /// for try await item in client.pages(.feed(), next: \.nextCursor, query: "cursor").items(\.items) { … }
    /// ```
    /// - Parameters:
    ///   - endpoint: The endpoint of the first page.
    ///   - cursor: The key path to the cursor of the next page, which is `nil` or empty on the last page.
    ///   - query: The query item that carries the cursor.
    ///   - maxPages: The maximum number of pages. A further page is an error.
    ///   - options: The options of the calls.
    /// - Returns: The pages.
    public func pages<Page: Sendable, Cursor: QueryConvertible & Sendable>(
        _ endpoint: Endpoint<Page>,
        next cursor: any KeyPath<Page, Cursor?> & Sendable,
        query: String,
        maxPages: Int = 10_000,
        options: CallOptions = CallOptions()
    ) -> Pages<Page> {
        pages(endpoint, maxPages: maxPages, options: options) { page, endpoint in
            endpoint.following(query, page[keyPath: cursor])
        }
    }

    /// Returns the pages of a list in which each page has a cursor of the next one, and a flag for further pages.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint of the first page.
    ///   - cursor: The key path to the cursor of the next page, which is `nil` or empty on the last page.
    ///   - hasMore: The key path to the flag, which is `false` on the last page.
    ///   - query: The query item that carries the cursor.
    ///   - maxPages: The maximum number of pages. A further page is an error.
    ///   - options: The options of the calls.
    /// - Returns: The pages.
    public func pages<Page: Sendable, Cursor: QueryConvertible & Sendable>(
        _ endpoint: Endpoint<Page>,
        next cursor: any KeyPath<Page, Cursor?> & Sendable,
        hasMore: any KeyPath<Page, Bool> & Sendable,
        query: String,
        maxPages: Int = 10_000,
        options: CallOptions = CallOptions()
    ) -> Pages<Page> {
        pages(endpoint, maxPages: maxPages, options: options) { page, endpoint in
            page[keyPath: hasMore] ? endpoint.following(query, page[keyPath: cursor]) : nil
        }
    }

    /// Returns the pages of a list for which a closure makes the next endpoint; `nil` ends the list.
    ///
    /// ```swift
    /// client.pages(.search("x")) { page, endpoint in
    ///     page.next.map { next in endpoint.setting("after", next) }
    /// }
    /// ```
    public func pages<Page: Sendable>(
        _ endpoint: Endpoint<Page>,
        maxPages: Int = 10_000,
        options: CallOptions = CallOptions(),
        next: @escaping @Sendable (Page, Endpoint<Page>) async throws -> Endpoint<Page>?
    ) -> Pages<Page> {
        Pages(sender: self, first: endpoint, limit: maxPages, options: options) { try await next($0.page, $1) }
    }

    /// Returns the pages of a list that is requested by page number.
    ///
    /// A page without items is the last.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint of the list.
    ///   - query: The query item that carries the number.
    ///   - first: The number of the first page.
    ///   - maxPages: The maximum number of pages. A further page is an error.
    ///   - options: The options of the calls.
    ///   - items: The items of a page.
    /// - Returns: The pages.
    public func pages<Page: Sendable, Item>(
        _ endpoint: Endpoint<Page>,
        number query: String,
        from first: Int = 1,
        maxPages: Int = 10_000,
        options: CallOptions = CallOptions(),
        items: @escaping @Sendable (Page) -> [Item]
    ) -> Pages<Page> {
        steps(endpoint, query, from: first, maxPages, options) { page, number in
            items(page).isEmpty || number == .max ? nil : number + 1
        }
    }

    /// Returns the pages of a list that is requested by offset.
    ///
    /// A page with fewer items than requested is the last.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint of the list.
    ///   - query: The query item that carries the offset.
    ///   - count: The number of items on a page, and the query item that carries it, if there is one.
    ///   - maxPages: The maximum number of pages. A further page is an error.
    ///   - options: The options of the calls.
    ///   - items: The items of a page.
    /// - Returns: The pages.
    public func pages<Page: Sendable, Item>(
        _ endpoint: Endpoint<Page>,
        offset query: String,
        count: (Int, query: String?),
        maxPages: Int = 10_000,
        options: CallOptions = CallOptions(),
        items: @escaping @Sendable (Page) -> [Item]
    ) -> Pages<Page> {
        let (size, name) = count
        let sized = name.map { endpoint.setting($0, size) } ?? endpoint
        return steps(sized, query, from: 0, maxPages, options) { page, offset in
            let found = items(page).count
            let (following, overflow) = offset.addingReportingOverflow(found)
            return found == 0 || found < size || overflow ? nil : following
        }
    }

    /// Returns the pages of a list whose responses link to the next page in a `Link` field (RFC 8288).
    ///
    /// A link to another origin is refused, because header fields of this endpoint would be sent there.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint of the first page.
    ///   - relation: The relation of the link to the next page.
    ///   - maxPages: The maximum number of pages. A further page is an error.
    ///   - options: The options of the calls.
    /// - Returns: The pages.
    public func linkedPages<Page: Sendable>(
        _ endpoint: Endpoint<Page>,
        relation: String = "next",
        maxPages: Int = 10_000,
        options: CallOptions = CallOptions()
    ) -> Pages<Page> {
        let relation = relation.lowercased()
        return Pages(sender: self, first: endpoint, limit: maxPages, options: options) { response, endpoint in
            let links = WebLink.links(in: response.headers).filter { $0["anchor"] == nil }
            guard let link = links.first(where: { $0.relations.contains(relation) }) else { return nil }
            guard let base = response.url, let target = RedirectPolicy.resolve(link.target, against: base),
                let origin = response.origin, Origin(target) == origin
            else {
                let shown = NetKitError.oneLine(Redaction.withoutQuery(link.target), limit: 200)
                let message =
                    "The link to the next page, \"\(shown)\", leads to another origin than the page itself. Request it with an endpoint of its own."
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
        _ maxPages: Int,
        _ options: CallOptions,
        _ next: @escaping @Sendable (Page, Int) -> Int?
    ) -> Pages<Page> {
        Pages(sender: self, first: endpoint.setting(query, first), limit: maxPages, options: options) {
            response,
            endpoint in
            // The number is in the query of the page itself, so that iterators do not share it.
            let current = endpoint.query.items.last { $0.name == query }?.value.flatMap { Int($0) }
            return next(response.page, current ?? first).map { endpoint.setting(query, $0) }
        }
    }
}

extension Endpoint {
    /// Returns the endpoint with a query item, in place of its previous value.
    public func setting(_ query: String, _ value: (any QueryConvertible)?) -> Endpoint {
        var endpoint = self
        endpoint.query.set(query, value)
        return endpoint
    }

    /// Returns the endpoint of the page at a cursor; `nil` if there is none.
    ///
    /// An empty cursor would lead to the first page again.
    fileprivate func following(_ query: String, _ cursor: (any QueryConvertible)?) -> Endpoint? {
        guard let cursor, cursor.queryValue != .nothing, cursor.queryValue != .text("") else { return nil }
        return setting(query, cursor)
    }
}
