import Foundation
import Testing

@testable import NetKit

struct JSONCoderTests {
    private struct Event: Codable, Equatable, Sendable {
        var eventName: String
        var at: Date
    }

    private let event = Event(eventName: "launch", at: Date(timeIntervalSince1970: 1_700_000_000))

    @Test func theStandardWritesDatesInISO8601AndKeysAsTheyAre() throws {
        let encoder = JSONCoder.standard.encoder
        encoder.outputFormatting = .sortedKeys
        let text = #"{"at":"2023-11-14T22:13:20Z","eventName":"launch"}"#
        #expect(String(decoding: try encoder.encode(event), as: UTF8.self) == text)
        #expect(try JSONCoder.standard.decoder.decode(Event.self, from: Data(text.utf8)) == event)
    }

    @Test func eachCoderIsFresh() {
        let first = JSONCoder.standard.encoder
        first.outputFormatting = .prettyPrinted
        #expect(JSONCoder.standard.encoder !== first)
        #expect(JSONCoder.standard.encoder.outputFormatting == [])
        #expect(JSONCoder.standard.decoder !== JSONCoder.standard.decoder)
    }

    @Test func aCustomPresetIsUsed() throws {
        let coder = JSONCoder {
            let encoder = JSONEncoder()
            encoder.dateEncodingStrategy = .secondsSince1970
            encoder.outputFormatting = .sortedKeys
            return encoder
        } decoder: {
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .secondsSince1970
            return decoder
        }
        let data = try coder.encoder.encode(event)
        #expect(String(decoding: data, as: UTF8.self) == #"{"at":1700000000,"eventName":"launch"}"#)
        #expect(try coder.decoder.decode(Event.self, from: data) == event)
    }

    @Test func aBodyIsWrittenWhenTheCallBegins() throws {
        let writes = Locked(0)
        let coder = JSONCoder {
            writes.withLock { $0 += 1 }
            return JSONEncoder()
        } decoder: {
            JSONDecoder()
        }
        let body = HTTPBody.json(["a": 1], coder: coder)
        #expect(writes.withLock { $0 } == 0)
        #expect(body.contentType == "application/json")
        #expect(body.bytes == nil)
        #expect(body.length == nil)
        #expect(body.canReplay)
        let prepared = try body.prepared()
        #expect(writes.withLock { $0 } == 1)
        #expect(prepared.bytes == Data(#"{"a":1}"#.utf8))
        #expect(prepared.contentType == "application/json")
        #expect(try prepared.prepared().length == 7)
        #expect(writes.withLock { $0 } == 1)
    }
}
