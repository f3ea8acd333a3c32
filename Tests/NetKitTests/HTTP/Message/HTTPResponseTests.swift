import Foundation
import Testing

@testable import NetKit

struct HTTPResponseTests {
    @Test func isMadeOfItsParts() throws {
        let (from, to) = (try #require(URL(string: "http://a.example")), try #require(URL(string: "https://a.example")))
        let hop = RedirectHop(status: 301, from: from, to: to)
        var timings = ExchangeTimings()
        timings.protocolVersion = "HTTP/2"
        let response = HTTPResponse(
            status: 200,
            headers: ["A": "1"],
            body: ResponseBody(Data("hi".utf8), trailers: ["X": "1"]),
            url: to,
            history: [hop],
            timings: timings
        )
        #expect(response.status == .ok)
        #expect(response.headers == ["A": "1"])
        #expect(response.url == to)
        #expect(response.history == [hop])
        #expect(response.timings.protocolVersion == "HTTP/2")
        #expect(response.trailers == ["X": "1"])
        #expect(response.description == "HTTPResponse(200 OK, body 2 bytes)")
    }

    @Test func needsNoMoreThanAStatus() {
        let response = HTTPResponse(status: 204)
        #expect(response.headers.isEmpty)
        #expect(response.body.buffered == Data())
        #expect(response.url == nil)
        #expect(response.history.isEmpty)
        #expect(response.timings == ExchangeTimings())
    }

    @Test func changesOnePartAtATime() throws {
        let url = try #require(URL(string: "https://a.example"))
        let hop = RedirectHop(status: 302, from: url, to: url)
        let original = HTTPResponse(status: 200, headers: ["A": "1"])
        var response = original
        response.url = url
        response.history = [hop]
        response.timings.total = .seconds(1)
        response.status = 201
        response.headers["A"] = nil
        #expect(response.url == url)
        #expect(response.history == [hop])
        #expect(response.timings.total == .seconds(1))
        #expect(response.status == 201)
        #expect(response.headers.isEmpty)
        #expect(original.url == nil)
        #expect(original.history.isEmpty)
        #expect(original.timings.total == nil)
        #expect(original.headers == ["A": "1"])
    }

    @Test func missingValuesAreCompleted() throws {
        let asked = try #require(URL(string: "https://a.example/asked"))
        let answered = try #require(URL(string: "https://a.example/answered"))
        var completed = HTTPResponse(status: 200)
        completed.complete(url: asked, total: .seconds(2))
        #expect(completed.url == asked)
        #expect(completed.timings.total == .seconds(2))
        var kept = HTTPResponse(status: 200, url: answered)
        kept.timings.total = .seconds(1)
        kept.timings.bytesSent = 7
        kept.complete(url: asked, total: .seconds(2))
        #expect(kept.url == answered)
        #expect(kept.timings.total == .seconds(1))
        #expect(kept.timings.bytesSent == 7)
    }

    @Test func saysThatALengthIsUnknown() {
        let response = HTTPResponse(status: 299, body: ResponseBody(source: ScriptedSource()))
        #expect(response.description == "HTTPResponse(299, body of unknown length)")
    }

    @Test func tellsWhenItEnds() async throws {
        let ends = Notebook<Int64>()
        let response = HTTPResponse(status: 200, body: ResponseBody(source: ScriptedSource("hello")))
        response.onEnd { ends.add($0.byteCount) }
        #expect(ends.entries == [])
        _ = try await response.body.collect(upTo: 10)
        #expect(ends.entries == [5])
    }

    @Test func isBufferedWithItsTrailers() async throws {
        let source = ScriptedSource("he", "llo", trailers: ["X": "1"])
        let response = HTTPResponse(status: 201, headers: ["A": "1"], body: ResponseBody(source: source))
        let buffered = try await response.buffered(upTo: 5)
        #expect(buffered.body.buffered == Data("hello".utf8))
        #expect(buffered.trailers == ["X": "1"])
        #expect(buffered.status == .created)
        #expect(buffered.headers == ["A": "1"])
        #expect(try await buffered.body.text(upTo: 5) == "hello")
    }

    @Test func staysAsItIsWhenItIsBufferedAlready() async throws {
        let response = HTTPResponse(status: 200, body: ResponseBody(Data("hello".utf8)))
        #expect(try await response.buffered(upTo: 5).body.text(upTo: 5) == "hello")
        #expect(response.body.isConsumed)
    }

    @Test func isNotBufferedBeyondItsBound() async {
        let streamed = HTTPResponse(status: 200, body: ResponseBody(source: ScriptedSource("hello")))
        let error = await #expect(throws: NetKitError.self) { try await streamed.buffered(upTo: 4) }
        #expect(error?.code == .bodyTooLarge)
        let buffered = HTTPResponse(status: 200, body: ResponseBody(Data("hello".utf8)))
        let other = await #expect(throws: NetKitError.self) { try await buffered.buffered(upTo: 4) }
        #expect(other?.code == .bodyTooLarge)
    }
}
