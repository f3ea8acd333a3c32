import Foundation

/// The pages of a list.
///
/// Each page is requested when it is needed, and a `break` stops the requests.
///
/// If the pages form a circle or exceed the bound, they end with an error that says so. If the request of the next page
/// cannot be made, the error follows the page that was received.
///
/// All pages of an iterator are requested under the login of the first one. After a logout or the login of another
/// user, the next page is the error `.unauthorized`.
public struct Pages<Page: Sendable>: AsyncSequence, Sendable {
    /// The type of errors: `NetKitError` or `CancellationError`.
    public typealias Failure = any Error

    /// The response with one page, which determines the next page; the origin is that before redirects.
    typealias Response = (page: Page, headers: HTTPHeaders, url: URL?, origin: Origin?)

    /// Begins to read; a closure, so that a list is small.
    private let begin: @Sendable () -> Reading

    init(
        sender: any RequestSending,
        first: Endpoint<Page>,
        limit: Int,
        options: CallOptions,
        following: @escaping @Sendable (Response, Endpoint<Page>) async throws -> Endpoint<Page>?
    ) {
        begin = { Reading(sender, first, limit, options, following) }
    }

    /// Creates an iterator that starts at the first page.
    public func makeAsyncIterator() -> Iterator { Iterator(pages: self) }

    /// Returns the items of all pages, one after the other.
    public func items<Item: Sendable>(_ items: @escaping @Sendable (Page) -> [Item]) -> PageItems<Page, Item> {
        PageItems(makePages: { makeAsyncIterator() }, items: items)
    }

    /// An iterator over the pages.
    public struct Iterator: AsyncIteratorProtocol {
        private let reading: Reading

        init(pages: Pages) { reading = pages.begin() }

        /// Returns the next page; `nil` after the last one.
        public mutating func next() async throws -> Page? { try await reading.next() }
    }

    /// The state of an iterator, an object so that the iterator is small.
    private final class Reading {
        private let sender: any RequestSending
        private let limit: Int
        private let options: CallOptions
        private let following: @Sendable (Response, Endpoint<Page>) async throws -> Endpoint<Page>?
        /// The endpoint of the next page.
        private var endpoint: Endpoint<Page>?
        /// The error to throw after the page that was received.
        private var failure: (any Error)?
        /// The hashes of the previous requests, to detect a repeated one.
        ///
        /// A server chooses the length of a link, so the requests themselves could take any amount of memory.
        private var seen: Set<String> = []
        private var count = 0

        init(
            _ sender: any RequestSending,
            _ first: Endpoint<Page>,
            _ limit: Int,
            _ options: CallOptions,
            _ following: @escaping @Sendable (Response, Endpoint<Page>) async throws -> Endpoint<Page>?
        ) {
            (self.sender, self.limit, self.following) = (sender, limit, following)
            self.options = options.inSequence()
            endpoint = first
        }

        func next() async throws -> Page? {
            if let failure {
                self.failure = nil
                throw failure
            }
            guard let endpoint else { return nil }
            self.endpoint = nil
            guard count < limit else {
                let message =
                    "There are more than \(limit) pages. Raise `maxPages`, or check whether the list ever ends."
                throw NetKitError(.bodyTooLarge, message, outcome: .answered)
            }
            count += 1
            try noteRequest(of: endpoint)
            let response = try await sender.send(Self.withResponse(endpoint), options: options)
            do {
                self.endpoint = try await following(response, endpoint)
            } catch {
                failure = ErrorBoundary.outward(error, outcome: .answered)
            }
            return response.page
        }

        private func noteRequest(of endpoint: Endpoint<Page>) throws {
            let (request, settings) = (endpoint.request, sender.payloadSettings)
            // A link may name by its whole URL what was requested by its path.
            let url = settings.resolved(request).url
            var hash = SHA256()
            var head = Array("\(request.method) \(url.absoluteString)\n".utf8)
            for field in request.headers { head += "\(field.name): \(field.value)\n".utf8 }
            head.withUnsafeBytes { hash.add($0) }
            if let body = request.body {
                // A stream cannot be compared.
                guard let bytes = try body.prepared(json: endpoint.json ?? settings.json).bytes else { return }
                bytes.withUnsafeBytes { hash.add($0) }
            }
            guard seen.insert(hash.value).inserted else {
                // Without the query: only the client knows which of its items are secret.
                let shown = "\(request.method) \(Redaction.withoutQuery(request.url.absoluteString))"
                let like = "with the query, header fields and body of an earlier one"
                let hint = "Check the link or cursor of the page before it."
                let message = "The pages form a loop: page \(count) would be \(shown) \(like). \(hint)"
                throw NetKitError(.invalidResponse, message, outcome: .answered)
            }
        }

        private static func withResponse(_ endpoint: Endpoint<Page>) -> Endpoint<Response> {
            let reader = endpoint.reader
            return endpoint.reading(
                reader.making { response, settings in
                    let page = try await reader.read(response, settings)
                    let asked = response.history.first?.from ?? response.url
                    return (page, response.headers, response.url, asked.flatMap { Origin($0) })
                }
            )
        }
    }
}

/// An iterator must not be shared between tasks.
@available(*, unavailable)
extension Pages.Iterator: Sendable {}

extension Pages where Page: ItemPage {
    /// The items of all pages, one after the other.
    public var items: PageItems<Page, Page.Item> { items(\.items) }
}

extension Pages where Page: RandomAccessCollection, Page.Element: Sendable {
    /// The elements of all pages, one after the other.
    public var items: PageItems<Page, Page.Element> { items { Array($0) } }
}

/// A page that provides its items.
public protocol ItemPage: Sendable {
    /// The type of the elements of the list.
    associatedtype Item: Sendable
    /// The items of this page.
    var items: [Item] { get }
}

/// The items of pages, one after the other.
public struct PageItems<Page: Sendable, Item: Sendable>: AsyncSequence, Sendable {
    /// The type of errors: `NetKitError` or `CancellationError`.
    public typealias Failure = any Error

    let makePages: @Sendable () -> Pages<Page>.Iterator
    let items: @Sendable (Page) -> [Item]

    /// Creates an iterator that starts at the first page.
    public func makeAsyncIterator() -> Iterator {
        Iterator(pages: makePages(), items: items)
    }

    /// An iterator over the items.
    public struct Iterator: AsyncIteratorProtocol {
        var pages: Pages<Page>.Iterator
        let items: @Sendable (Page) -> [Item]
        private var ready: ArraySlice<Item> = []

        init(pages: Pages<Page>.Iterator, items: @escaping @Sendable (Page) -> [Item]) {
            (self.pages, self.items) = (pages, items)
        }

        /// Returns the next item; `nil` after the last one.
        public mutating func next() async throws -> Item? {
            while true {
                if let item = ready.popFirst() { return item }
                guard let page = try await pages.next() else { return nil }
                ready = items(page)[...]
            }
        }
    }
}

/// An iterator must not be shared between tasks.
@available(*, unavailable)
extension PageItems.Iterator: Sendable {}
