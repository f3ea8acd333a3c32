import Foundation
import Testing

@testable import NetKit

struct EventStreamParserTests {
    private struct Outcome: Equatable {
        var events: [ServerSentEvent] = []
        var lastEventID = ""
        var isTooLarge = false
    }

    private static let vectors = (try? VectorFile("sse"))?.cases ?? []
    private static let streams = vectors.filter { $0["kind"] == nil || $0["kind"] == .null }
    private static let limits = vectors.filter { $0["kind"]?.string == "limit" }

    private func read(_ pieces: [Data], limit: Int = 1 << 20) -> Outcome {
        var parser = EventStreamParser(limit: limit)
        var outcome = Outcome()
        for piece in pieces where !outcome.isTooLarge {
            do {
                try parser.parse(piece)
            } catch {
                outcome.isTooLarge = true
            }
            outcome.events += parser.takeEvents()
        }
        outcome.lastEventID = parser.lastEventID
        return outcome
    }

    private func expected(_ vector: JSONValue) -> Outcome {
        let events = (vector["events"]?.array ?? []).map { event in
            ServerSentEvent(
                type: event["event"]?.string ?? "message",
                data: event["data"]?.string ?? "",
                id: event["id"]?.string,
                lastEventID: event["last_event_id"]?.string ?? "",
                retry: (event["retry"]?.int).map { .milliseconds($0) }
            )
        }
        return Outcome(events: events, lastEventID: vector["last_event_id_at_end"]?.string ?? "")
    }

    @Test(arguments: ["\u{1}", "a\u{7F}", "a\u{1B}b", "a\u{0}"])
    func anIdentifierThatCannotBeSentBackIsIgnored(id: String) throws {
        var parser = EventStreamParser()
        try parser.parse(Data("id: 7\ndata: x\n\nid: \(id)\ndata: y\n\n".utf8))
        #expect(parser.lastEventID == "7")
    }

    @Test func thereAreVectors() {
        #expect(Self.streams.count + Self.limits.count == 98)
    }

    /// The public cases: whole, cut as in the suite, cut after every byte, and byte by byte.
    @Test(arguments: streams)
    func readsThePublicCases(_ vector: JSONValue) throws {
        let stream = Data(try #require(vector["stream"]?.string).utf8)
        let expected = expected(vector)
        #expect(read([stream]) == expected)
        if let chunks = vector["chunks"]?.array {
            #expect(read(chunks.map { Data(($0.string ?? "").utf8) }) == expected)
        }
        #expect(read(stream.map { Data([$0]) }) == expected)
        for cut in 0...min(stream.count, 600) {
            #expect(read([stream.prefix(cut), stream.dropFirst(cut)]) == expected, "cut after \(cut)")
        }
    }

    @Test(arguments: limits)
    func keepsItsBound(_ vector: JSONValue) throws {
        let limit = try #require(vector["limit_characters"]?.int)
        let chunks = try #require(vector["chunks"]?.array).map { Data(($0.string ?? "").utf8) }
        let outcome = read(chunks, limit: limit)
        #expect(outcome.isTooLarge == (vector["outcome"]?.string == "overflow"))
        #expect(outcome.events.count == vector["event_count"]?.int)
    }

    /// A network divides a stream anywhere, so that the same event would sometimes end it.
    @Test(arguments: [
        "data: abcdefgh\n\n", "id: abcdefgh\ndata: a\n\n", "data: a\ndata: b\n\n", "datum: abcdefghijkl\ndata: a\n\n",
    ])
    func theBoundDoesNotDependOnWhereAStreamIsDivided(_ text: String) {
        let stream = Data(text.utf8)
        for limit in 4...20 {
            let whole = read([stream], limit: limit)
            for cut in 1..<stream.count {
                #expect(read([stream.prefix(cut), stream.dropFirst(cut)], limit: limit) == whole, "\(limit), \(cut)")
            }
        }
    }

    @Test func aRestartKeepsWhatTheServerSaid() throws {
        var parser = EventStreamParser()
        try parser.parse(Data("retry: 50\nid: 7\ndata: x\n\ndata: half".utf8))
        parser.restart()
        #expect(parser.lastEventID == "7")
        #expect(parser.reconnectionTime == .milliseconds(50))
        try parser.parse(Data("\u{FEFF}data: y\n\n".utf8))
        let events = parser.takeEvents()
        #expect(events.map(\.data) == ["y"])
        #expect(events.first?.lastEventID == "7")
    }

    @Test func aReconnectionTimeThatIsNoneIsIgnored() throws {
        var parser = EventStreamParser()
        for text in ["-1", "1.5", "99999999999999999999", "", "１"] {
            try parser.parse(Data("retry: \(text)\n\n".utf8))
        }
        #expect(parser.reconnectionTime == nil)
    }

    @Test func noInputCrashes() {
        let pieces = [
            "data", "event", "id", "retry", ":", " ", "\n", "\r", "\r\n", "\n\n", "7", "\u{FEFF}", "text", "\0",
        ]
        var fuzz = ParserFuzz(pieces)
        for _ in 0..<ParserFuzz.count {
            let input = Data(fuzz.nextBytes())
            let whole = read([input], limit: 64)
            let cut = fuzz.number(below: input.count + 1)
            let parts = read([input.prefix(cut), input.dropFirst(cut)], limit: 64)
            #expect(parts == whole, "\(input.base64EncodedString()) at \(cut)")
        }
        let isLinear = ParserFuzz.isLinear(["\n", "\r", "data: x\n", "data\n", ":", "data:", "id: 1\n", "x"]) { text in
            _ = read([Data(text.utf8)])
        }
        #expect(isLinear)
    }
}
