import Foundation
import NetKit
import Testing

struct JSONLinesTests {
    private let transport = MockTransport()

    private func client() -> HTTPClient {
        HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [])
    }

    @Test func eachLineIsDecodedAsAValue() async throws {
        struct Row: Decodable, Sendable, Equatable { var id: Int }
        transport.stub(.get, "/v1/rows", .stream([Data("{\"id\":1}\n\n{\"i".utf8), Data("d\":2}\r\n{\"id\":3}".utf8)]))
        var rows: [Row] = []
        for try await row in client().stream(.get("/rows"), of: Row.self) { rows.append(row) }
        #expect(rows == [Row(id: 1), Row(id: 2), Row(id: 3)])
    }

    /// A name in Latin 1 is not another name with a replacement character.
    @Test func aLineThatIsNotUTF8IsAnError() async throws {
        struct Row: Decodable, Sendable { var name: String }
        let lines = Data("{\"name\":\"é\"}\n{\"name\":\"caf".utf8) + Data([0xE9]) + Data("\"}\n".utf8)
        transport.stub(.get, "/v1/rows", .data(lines, contentType: "application/x-ndjson"))
        var names: [String] = []
        let error = await #expect(throws: NetKitError.self) {
            for try await row in client().stream(.get("/rows"), of: Row.self) { names.append(row.name) }
        }
        #expect(names == ["é"])
        #expect(error?.code == .decoding)
        #expect(error?.message.hasPrefix("Line 2: ") == true)
    }

    @Test func aLineThatIsNoValueSaysWhich() async throws {
        struct Row: Decodable, Sendable { var id: Int }
        transport.stub(.get, "/v1/rows", .text("{\"id\":1}\n{\"id\":\"secret\"}\n"))
        transport.stub(.get, "/v1/refused", .status(500))
        var count = 0
        let error = await #expect(throws: NetKitError.self) {
            for try await _ in client().stream(.get("/rows"), of: Row.self) { count += 1 }
        }
        #expect(count == 1)
        #expect(error?.code == .decoding)
        #expect(error?.message.hasPrefix("Line 2: ") == true)
        #expect(error?.description.contains("secret") == false)
        #expect(error?.requestLine == "GET https://api.example.com/v1/rows")
        let refused = await #expect(throws: NetKitError.self) {
            for try await _ in client().stream(.get("/refused"), of: Row.self) {}
        }
        #expect(refused?.status == 500)
    }
}
