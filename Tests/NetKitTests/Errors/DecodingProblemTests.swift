import Foundation
import Testing

@testable import NetKit

struct DecodingProblemTests {
    private struct Inner: Decodable { var count: Int }
    private struct Event: Decodable { var startedAt: Date }
    private struct Outer: Decodable {
        var items: [Inner]
        var label: String
    }

    private func problem(_ json: String) throws -> NetKitError {
        do {
            _ = try JSONDecoder().decode(Outer.self, from: Data(json.utf8))
        } catch {
            return DecodingProblem.error(for: error, expected: Outer.self)
        }
        throw CancellationError()
    }

    @Test(arguments: [
        ("{\"items\":[", "", "the data is not valid"), ("", "", "the data is not valid"),
        ("[]", "", "expected an object, found another type"),
        ("{\"label\":\"s3cret\"}", "items", "items: the key is missing"),
        ("{\"items\":[],\"label\":null}", "label", "label: expected String, found null"),
        ("{\"items\":[{\"count\":1},{}],\"label\":\"\"}", "items[1].count", "items[1].count: the key is missing"),
        (
            "{\"items\":[{\"count\":\"s3cret\"}],\"label\":\"\"}", "items[0].count",
            "items[0].count: expected Int, found another type"
        ),
    ])
    func namesThePlaceAndTheProblemWithoutThePayload(_ json: String, _ path: String, _ what: String) throws {
        let error = try problem(json)
        #expect(error.code == .decoding)
        #expect(error.outcome == .answered)
        #expect(error.codingPath == path)
        #expect(error.message == "The body is not the expected Outer: \(what).")
        #expect(error.cause is DecodingError)
    }

    @Test(arguments: [#""2023-11-14""#, #""14.11.2023 22:13""#, #""""#, "1700000000", "1.7e9", "[]"])
    func saysThatAValueIsNoDate(_ value: String) {
        let json = Data("{\"started_at\":\(value)}".utf8)
        let error = #expect(throws: NetKitError.self) { try JSONCoder.snakeCase.value(Event.self, of: json) }
        #expect(error?.codingPath == "startedAt")
        #expect(
            error?.message == "The body is not the expected Event: startedAt: the value is not an ISO 8601 date; "
                + "use a JSONCoder that reads dates in another form."
        )
    }

    @Test func namesAnyOtherErrorByItsTypeOnly() {
        let error = DecodingProblem.error(for: CancellationError(), expected: Int.self)
        #expect(error.message == "The body is not the expected Int: CancellationError was thrown.")
        #expect(error.codingPath == "")
    }

    @Test func keepsTheResponse() {
        let response = NetKitError.Response(status: 200, headers: HTTPHeaders(), body: Data("x".utf8))
        let error = DecodingProblem.error(for: CancellationError(), expected: Int.self, response: response)
        #expect(error.status == .ok)
        #expect(error.response?.body == Data("x".utf8))
    }
}
