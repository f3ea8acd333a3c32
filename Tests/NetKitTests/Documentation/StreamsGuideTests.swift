import Foundation
import NetKit
import NetKitTestSupport
import Testing

/// The examples of the page on pages, streams and batches, compiled and run.
@Suite(.needsTheMachine)
struct StreamsGuideTests {
    private struct Row: Codable, Sendable { var id: Int }

    private let transport = MockTransport()

    private var client: HTTPClient { HTTPClient(baseURL: exampleBase, transport: transport, interceptors: []) }

    @Test func pagesAreWalked() async throws {
        transport.stub(.get, "/v1/feed", .json(Feed(items: [1, 2], nextCursor: "b")))
        transport.stub(.get, "/v1/feed", query: ["cursor": "b"], .json(Feed(items: [3])))
        let printed = Notebook<Int>()
        func print(_ item: Int) { printed.add(item) }
        // GUIDE: begin
        for try await item in client.pages(.feed(), next: \.nextCursor, query: "cursor").items {
            print(item)
        }
        // GUIDE: end
        #expect(printed.entries == [1, 2, 3])
    }

    @Test func thereAreOtherWaysToCount() async throws {
        // GUIDE: begin
        let byNumber = client.pages(Endpoint<[Int]>.get("/list"), number: "page") { $0 }
        let byOffset = client.pages(Endpoint<[Int]>.get("/list"), offset: "skip", count: (50, query: "limit")) { $0 }
        let byLink = client.linkedPages(Endpoint<[Int]>.get("/list"))
        let byFunction = client.pages(Endpoint<Feed>.get("/feed")) { page, endpoint in
            page.nextCursor.map { endpoint.setting("after", $0) }
        }
        // GUIDE: end
        transport.stub(.get, "/v1/list", .json([Int]()))
        transport.stub(.get, "/v1/feed", .json(Feed(items: [])))
        for pages in [byNumber, byOffset, byLink] { for try await _ in pages {} }
        for try await _ in byFunction {}
        #expect(transport.requests.map { $0.url.query ?? "" } == ["page=1", "limit=50&skip=0", "", ""])
    }

    @Test func eventsAreRead() async throws {
        let text = "data: a\n\nevent: end\ndata: b\n\n"
        transport.stub(.get, "/v1/events", .data(Data(text.utf8), contentType: "text/event-stream"))
        let printed = Notebook<String>()
        func print(_ items: String...) { printed.add(items.joined(separator: " ")) }
        // GUIDE: begin
        for try await event in client.eventStream(.get("/events")) {
            print(event.type, event.data, event.lastEventID)
            if event.type == "end" { break }
        }
        // GUIDE: end
        #expect(printed.entries == ["message a ", "end b "])
    }

    @Test func linesAndBatchesAreRead() async throws {
        transport.stub(.get, "/v1/export.ndjson", .text("{\"id\":1}\n{\"id\":2}\n"))
        transport.stub(.get, "/v1/rows/*", .json(Row(id: 7)))
        let printed = Notebook<Int>()
        func print(_ item: Int) { printed.add(item) }
        // GUIDE: begin
        for try await row in client.stream(.get("/export.ndjson"), of: Row.self) {
            print(row.id)
        }
        // GUIDE: end
        // GUIDE: begin
        let results = await client.sendAll(["1", "2", "3"].map { Endpoint<Row>.get("/rows/\($0)") }, maxConcurrent: 2)
        for result in results {
            print((try? result.get())?.id ?? -1)
        }
        // GUIDE: end
        #expect(printed.entries == [1, 2, 7, 7, 7])
    }

    @Test func thePageShowsThisCode() throws {
        #expect(try GuidePage("Pages-Streams-And-Batches").shows(#filePath))
    }
}

// GUIDE: begin
struct Feed: Codable, Sendable, ItemPage {
    var items: [Int]
    var nextCursor: String?
}
// GUIDE: end

extension Endpoint where Response == Feed {
    fileprivate static func feed() -> Self { .get("/feed") }
}
