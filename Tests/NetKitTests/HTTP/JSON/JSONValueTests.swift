import Foundation
import Testing

@testable import NetKit

struct JSONValueTests {
    private let value: JSONValue = [
        "name": "Ada", "tags": ["a", "b"], "age": 36, "rate": 0.5, "ok": true, "none": nil,
    ]

    @Test func isReadMemberByMember() {
        #expect(value["name"]?.string == "Ada")
        #expect(value["tags"]?[1]?.string == "b")
        #expect(value["tags"]?[2] == nil)
        #expect(value["tags"]?[-1] == nil)
        #expect(value["age"]?.int == 36)
        #expect(value["age"]?.double == 36)
        #expect(value["rate"]?.int == nil)
        #expect(value["rate"]?.double == 0.5)
        #expect(value["ok"]?.bool == true)
        #expect(value["none"] == .null)
        #expect(value["missing"] == nil)
        #expect(value["name"]?["x"] == nil)
        #expect(value["name"]?[0] == nil)
        #expect(value.object?.count == 6)
        #expect(value["tags"]?.array?.count == 2)
    }

    @Test func comesBackAsItWasWritten() throws {
        let data = try JSONEncoder().encode(value)
        #expect(try JSONValue(parsing: data) == value)
        #expect(try JSONValue(encoding: ["a": [1, 2]]) == ["a": [1, 2]])
    }

    @Test(arguments: [
        ("1", JSONValue.integer(1)), ("-9223372036854775808", .integer(.min)), ("1.5", .number(1.5)),
        ("1.0", .integer(1)),
        ("9223372036854775808", .number(9_223_372_036_854_775_808)), ("true", .bool(true)), ("null", .null),
        ("\"\\u00e9\"", .string("é")), ("[]", .array([])), ("{}", .object([:])), ("1e3", .integer(1000)),
    ])
    func readsEveryKind(_ text: String, _ expected: JSONValue) throws {
        #expect(try JSONValue(parsing: Data(text.utf8)) == expected)
    }

    @Test func numbersThatMeanTheSameAreEqual() {
        #expect(JSONValue.integer(1) == .number(1))
        #expect(Set([JSONValue.integer(1), .number(1)]).count == 1)
        #expect(JSONValue.integer(1) != .bool(true))
        #expect(JSONValue.string("1") != .integer(1))
    }

    @Test(arguments: [0.1, 0, -3, 1e15, 2.421600556418894e17, -4.5709235202927877e18, 9_223_372_036_854_775_808, 1e300])
    func aNumberIsReadAsItWasWritten(_ number: Double) throws {
        let data = try JSONEncoder().encode(JSONValue.number(number))
        #expect(try JSONValue(parsing: data) == .number(number))
        #expect(try JSONDecoder().decode(Double.self, from: data) == number)
    }

    /// Not every integer is a `Double`, so that two of them may be next to the same one.
    @Test func equalityIsTransitive() {
        let edge = 1 << 53
        let values: [JSONValue] = [
            .integer(edge), .integer(edge + 1), .number(Double(edge)), .number(Double(edge) + 2), .integer(edge + 2),
            .integer(.max), .number(9_223_372_036_854_775_808), .integer(.min), .number(-9_223_372_036_854_775_808),
            .number(0), .number(-0.0), .integer(0), .number(0.5),
        ]
        for (one, other) in values.flatMap({ one in values.map { (one, $0) } }) {
            let isSame = values.allSatisfy { ($0 == one) == ($0 == other) }
            #expect((one == other) == isSame, "\(one) \(other)")
            #expect(one != other || one.hashValue == other.hashValue)
        }
        #expect(JSONValue.integer(edge + 1) != .number(Double(edge)))
        #expect(JSONValue.integer(.max) != .number(9_223_372_036_854_775_808))
    }

    @Test(arguments: [
        ("1e400", ""), (#"{"a": [1, {"b": -1e400}]}"#, "a[1].b"), ("[-1e400]", "[0]"),
    ])
    func aNumberWithoutAValueIsNamed(_ text: String, _ place: String) {
        let error = #expect(throws: NetKitError.self) { try JSONValue(parsing: Data(text.utf8)) }
        #expect(error?.code == .decoding)
        #expect(error?.codingPath == place)
        #expect(error?.message.hasSuffix("the number is outside the range of Double.") == true)
    }

    @Test(arguments: ["01", "1.2.3", "10.0.0.1", "2024-05-01", "-", "1e", "[1, 01]", #"{"a": [1-]}"#])
    func aTextThatOnlyBeginsAsANumberIsNotJSON(_ text: String) {
        let error = #expect(throws: NetKitError.self) { try JSONValue(parsing: Data(text.utf8)) }
        #expect(error?.message == "The body is not the expected JSONValue: it is not JSON.")
    }

    @Test func aNumberWithoutAValueDoesNotMakeABodySomethingElse() {
        let error = #expect(throws: NetKitError.self) {
            try JSONCoder.standard.value([String: Double].self, of: Data(#"{"a": 1e400}"#.utf8))
        }
        #expect(error?.message.contains("it is not JSON") == false)
    }

    @Test func becomesAnotherType() throws {
        struct User: Codable, Equatable {
            var name: String
            var age: Int
        }
        #expect(try value.decode(as: User.self) == User(name: "Ada", age: 36))
        let error = #expect(throws: NetKitError.self) { try JSONValue.array([["name": 1]]).decode(as: [User].self) }
        #expect(error?.codingPath == "[0].name")
        #expect(error?.message.contains("expected String, found a number") == true)
    }

    @Test(arguments: ["", "{", "[1 2]", "nul", "{\"a\" 1}", "\u{0}", "\"\\ud800\""])
    func aBodyThatIsNotJSONIsAnError(_ text: String) {
        let error = #expect(throws: NetKitError.self) { try JSONValue(parsing: Data(text.utf8)) }
        #expect(error?.code == .decoding)
    }

    /// Cut at every byte, and nested as deep as possible: an error, never a trap.
    @Test func survivesEveryCut() throws {
        let data = Data(#"{"a":[1,-2.5e3,"é\n\u0041",true,null,{"b":{}}],"c":""}"#.utf8)
        _ = try JSONValue(parsing: data)
        for cut in 0..<data.count { #expect(throws: NetKitError.self) { try JSONValue(parsing: data.prefix(cut)) } }
        let deep = String(repeating: "[", count: 100_000)
        #expect(throws: NetKitError.self) { try JSONValue(parsing: Data(deep.utf8)) }
    }

    @Test func noInputCrashes() {
        let pieces = [
            "{", "}", "[", "]", ",", ":", "\"", "\\u00e9", "\\", "1", "-", "e9", "0.5", "true", "null", " ", "é",
        ]
        var fuzz = ParserFuzz(pieces)
        for _ in 0..<ParserFuzz.count {
            let input = Data(fuzz.nextBytes())
            if let value = try? JSONValue(parsing: input), let data = try? JSONEncoder().encode(value) {
                #expect((try? JSONValue(parsing: data)) == value)
            }
        }
        #expect(
            ParserFuzz.isLinear(["[", "1,", "\"a\",", "{\"a\":1},", " "], prefix: "[") {
                _ = try? JSONValue(parsing: Data($0.utf8))
            }
        )
    }

    enum Reading: CaseIterable { case value, list, object, optional, encoding, otherType, problem, errorBody }

    /// With a `JSONDecoder`, each level of these 800 bytes would take the square of its depth, together seconds.
    @Test(arguments: Reading.allCases)
    func depthDoesNotMakeABodySlow(_ reading: Reading) {
        let deep = Data((String(repeating: "[", count: 400) + String(repeating: "]", count: 400)).utf8)
        let time = threadTime {
            switch reading {
            case .value: #expect((try? JSONValue(parsing: deep)) != nil)
            case .list: #expect((try? JSONCoder.standard.value([JSONValue].self, of: deep)) != nil)
            case .object:
                let body = Data("{\"a\":".utf8) + deep + Data("}".utf8)
                #expect((try? JSONCoder.standard.value([String: JSONValue].self, of: body))?["a"]?.array?.count == 1)
            case .optional: #expect((try? JSONCoder.standard.value(JSONValue?.self, of: deep))?.array?.count == 1)
            case .encoding:
                let value = (0..<400).reduce(JSONValue.null) { value, _ in .array([value]) }
                #expect((try? JSONValue(encoding: value)) == value)
            case .otherType:
                let error = #expect(throws: NetKitError.self) { try JSONCoder.standard.value(String.self, of: deep) }
                #expect(error?.message.hasSuffix("expected String, found an array.") == true)
            case .problem:
                let headers: HTTPHeaders = ["Content-Type": "application/problem+json"]
                let body = Data("{\"title\":\"Full\",\"a\":".utf8) + deep + Data("}".utf8)
                let problem = APIProblem(NetKitError.Response(status: 507, headers: headers, body: body))
                #expect(problem?.title == "Full")
            case .errorBody:
                let body = Data("{\"title\":\"Full\",\"a\":".utf8) + deep + Data("}".utf8)
                let response = NetKitError.Response(status: 507, headers: [:], body: body)
                let problem = response.decodingBody(as: APIProblem.self, with: .standard).decoded as? APIProblem
                #expect(problem?.title == "Full")
            }
        }
        #expect(time < .milliseconds(300))
    }

    /// The errors are those of a `JSONDecoder`.
    @Test func aBodyOfAnotherKindIsNamed() throws {
        let json = JSONCoder.standard
        let list = #expect(throws: NetKitError.self) { try json.value([JSONValue].self, of: Data("{}".utf8)) }
        #expect(list?.message.hasSuffix(": expected an array, found an object.") == true)
        let inner = #expect(throws: NetKitError.self) { try json.value([[JSONValue]].self, of: Data("[[1],2]".utf8)) }
        #expect(inner?.codingPath == "[1]")
        let object = #expect(throws: NetKitError.self) { try json.value([String: JSONValue].self, of: Data("1".utf8)) }
        #expect(object?.message.hasSuffix(": expected an object, found a number.") == true)
        #expect(throws: NetKitError.self) { try json.value(APIProblem.self, of: Data("[]".utf8)) }
        #expect(throws: NetKitError.self) { try json.value([JSONValue].self, of: Data("null".utf8)) }
        let none = try json.value(JSONValue?.self, of: Data("null".utf8))
        #expect(none == nil)
        #expect(try json.value([JSONValue?].self, of: Data("[null, 1]".utf8)) == [nil, 1])
        let open = json.with(decoder: { $0.assumesTopLevelDictionary = true })
        #expect(try open.value([String: JSONValue].self, of: Data(#""a": 1"#.utf8)) == ["a": 1])
    }

    @Test(arguments: [String.Encoding.utf8, .utf16, .utf16BigEndian, .utf16LittleEndian])
    func isReadInEachEncodingThatADecoderReads(_ encoding: String.Encoding) throws {
        let text = #"{"a" : [-1, 2.5, "é\u00e9", null, {}, [ ]], "a": 1, "\u0062": true}"#
        let data = try #require(text.data(using: encoding))
        let expected: JSONValue = ["a": [-1, 2.5, "éé", nil, [:], []], "b": true]
        #expect(try JSONValue(parsing: data) == expected)
        #expect(try JSONDecoder().decode(JSONValue.self, from: data) == expected)
    }

    @Test(arguments: [
        "[1,]", "[,1]", "{\"a\":1,}", "{,}", "[1}", "[1] 2", "{\"a\":01}", "\"\u{1}\"", "\"\\ud800\"1", "[\"\\x\"[]]",
    ])
    func aTextThatIsNearlyJSONIsAnError(_ text: String) {
        #expect(throws: NetKitError.self) { try JSONValue(parsing: Data(text.utf8)) }
    }

    @Test func aTextThatIsNotUTF8IsAnError() {
        #expect(throws: NetKitError.self) { try JSONValue(parsing: Data([0x22, 0xFF, 0x22, 0x31])) }
    }
}
