import Foundation
import Testing

@testable import NetKit

struct QueryBuilderTests {
    private enum Sort: String, QueryConvertible {
        case newest = "new est"
    }

    private let date = Date(timeIntervalSince1970: 1_700_000_000.25)

    @Test func keepsOrderAndRepeatedNames() {
        let query: QueryBuilder = ["b": 1, "a": 2, "b": 3]
        #expect(query.encoded == "b=1&a=2&b=3")
        #expect(query.adding("a", "x").encoded == "b=1&a=2&b=3&a=x")
    }

    @Test func omitsNilValues() {
        let page: Int? = nil
        let list: [Int?] = [1, nil, 3]
        #expect((["page": page, "q": "x", "none": nil] as QueryBuilder).encoded == "q=x")
        #expect(QueryBuilder().adding("a", list).encoded == "a=1&a=3")
        #expect(QueryBuilder().adding("a", [Int]()).isEmpty)
        let nothing: [Int?] = [nil]
        #expect(QueryBuilder(format: .init(lists: .comma)).adding("a", nothing).isEmpty)
    }

    @Test(arguments: [
        ("a b", "a%20b"), ("a+b", "a%2Bb"), ("a&b=c", "a%26b%3Dc"), ("é", "%C3%A9"), ("100%", "100%25"), ("", ""),
        ("a/b?c#d", "a%2Fb%3Fc%23d"), ("-._~", "-._~"), ("\r\n\0", "%0D%0A%00"), ("😀", "%F0%9F%98%80"),
    ])
    func encodesNamesAndValues(_ text: String, _ encoded: String) throws {
        let query = QueryBuilder().adding(text, text)
        #expect(query.encoded == "\(encoded)=\(encoded)")
        let items = try #require(URLComponents(string: "https://a.example/?\(query.encoded)")?.queryItems)
        #expect(items == [URLQueryItem(name: text, value: text)])
    }

    @Test func writesListsInThreeWays() {
        func query(_ lists: QueryFormat.Lists) -> String {
            QueryBuilder(format: .init(lists: lists)).adding("id", [1, 2]).encoded
        }
        #expect(query(.repeated) == "id=1&id=2")
        #expect(query(.brackets) == "id%5B%5D=1&id%5B%5D=2")
        #expect(query(.comma) == "id=1%2C2")
    }

    @Test func writesDatesInFourWays() {
        func query(_ dates: QueryFormat.Dates) -> String {
            QueryBuilder(format: .init(dates: dates)).adding("d", date).encoded
        }
        #expect(query(.iso8601) == "d=2023-11-14T22%3A13%3A20Z")
        #expect(query(.iso8601WithFraction) == "d=2023-11-14T22%3A13%3A20.250Z")
        #expect(query(.secondsSince1970) == "d=1700000000")
        #expect(query(.millisecondsSince1970) == "d=1700000000250")
    }

    // As a `Double`, each of these is slightly below the millisecond.
    @Test(arguments: [1_081_347_724_692, 1_079_058_232_968, 1_076_410_332_284])
    func aMillisecondIsWrittenAsItself(_ milliseconds: Int) {
        let query = QueryBuilder(format: .init(dates: .millisecondsSince1970))
        let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        #expect(query.adding("d", date).encoded == "d=\(milliseconds)")
        #expect(query.adding("d", date.addingTimeInterval(0.0004)).encoded == "d=\(milliseconds)")
    }

    @Test func writesNumbersAndOtherValues() throws {
        let id = try #require(UUID(uuidString: "0F000000-0000-0000-0000-00000000000A"))
        let url = try #require(URL(string: "https://a.example/x?y"))
        let query: QueryBuilder = [
            "i": 42, "n": -1, "d": 2.0, "e": 0.1, "big": 1e21, "f": Float(0.1), "t": true, "u": id, "s": Sort.newest,
            "url": url, "max": UInt64.max, "dec": Decimal(string: "1.50"), "sub": "abc".dropFirst(),
        ]
        #expect(
            query.encoded == "i=42&n=-1&d=2&e=0.1&big=1e%2B21&f=0.1&t=true&u=0F000000-0000-0000-0000-00000000000A"
                + "&s=new%20est&url=https%3A%2F%2Fa.example%2Fx%3Fy&max=18446744073709551615&dec=1.5&sub=bc"
        )
    }

    @Test(arguments: [(1_700_000_000_000_000.0, "1700000000000000"), (-9_007_199_254_740_992.0, "-9007199254740992")])
    func aLongWholeNumberHasNoDecimalPoint(_ number: Double, _ text: String) {
        #expect(QueryBuilder().adding("n", number).encoded == "n=\(text)")
    }

    @Test func aFlagHasNoValue() {
        #expect(QueryBuilder().addingFlag("v").adding("a", "").encoded == "v&a=")
    }

    @Test func setReplacesInPlace() {
        var query: QueryBuilder = ["a": 1, "cursor": "x", "b": 2, "cursor": "y"]
        query.set("cursor", "z")
        #expect(query.encoded == "a=1&cursor=z&b=2")
        query.set("cursor", nil)
        query.set("new", 3)
        #expect(query.encoded == "a=1&b=2&new=3")
    }

    @Test func setReplacesAListInBrackets() {
        var query = QueryBuilder(format: .init(lists: .brackets)).adding("a", 0).adding("id", [1, 2]).adding("b", 3)
        query.set("id", [4])
        #expect(query.encoded == "a=0&id%5B%5D=4&b=3")
        query.set("id", 5)
        #expect(query.encoded == "a=0&id=5&b=3")
        query.set("id", [6, 7])
        query.set("id", nil)
        #expect(query.encoded == "a=0&b=3")
    }

    @Test func setReplacesAValueThatCannotBeWritten() {
        for lists in [QueryFormat.Lists.repeated, .brackets, .comma] {
            var query = QueryBuilder(format: .init(lists: lists)).adding("a", [1, Double.nan])
            query.set("a", 2)
            #expect(query.problem == nil)
            #expect(query == QueryBuilder(format: query.format).adding("a", 2))
        }
        let other: QueryBuilder = ["a": Double.nan, "b": Double.nan]
        var query = QueryBuilder()
        query.add(other)
        query.set("c", 1)
        #expect(query.problem?.hasPrefix("\"a\"") == true)
        query.set("a", 1)
        #expect(query.problem?.hasPrefix("\"b\"") == true)
        query.set("b", Double.infinity)
        #expect(query.problem == "\"b\": inf is not a finite number")
        query.set("b", nil)
        #expect(query.problem == nil)
        #expect(query.encoded == "c=1&a=1")
    }

    /// The rest of a value would otherwise be sent without the members that are missing.
    @Test func setReplacesNoValueWhoseMembersCannotBeWritten() throws {
        struct Odd: Error {}
        struct Value: Encodable {
            func encode(to encoder: any Encoder) throws { throw Odd() }
        }
        var query = QueryBuilder(encoding: Value())
        query.set("a", 1)
        let error = #expect(throws: NetKitError.self) { try HTTPRequest(.get, "/x", query: query).targetText() }
        #expect(error?.message == "The query cannot be written. Value cannot be written: Odd.")
    }

    @Test func aDecimalOrADateThatIsNotFiniteIsAProblem() {
        #expect(QueryBuilder().adding("price", Decimal.nan).problem == "\"price\": NaN is not a finite number")
        #expect(QueryBuilder().adding(encoding: ["price": Decimal.nan]).problem != nil)
        for seconds in [Double.nan, .infinity, -.infinity] {
            let query = QueryBuilder().adding("since", [date, Date(timeIntervalSince1970: seconds)])
            #expect(query.problem?.hasPrefix("\"since\": the date") == true)
        }
        #expect(QueryBuilder().adding("until", Date.distantFuture).encoded == "until=4001-01-01T00%3A00%3A00Z")
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func aNumberThatIsNotFiniteFailsInSend(_ number: Double) throws {
        let query: QueryBuilder = ["ok": 1, "limit": number]
        let error = #expect(throws: NetKitError.self) {
            try HTTPRequest(.get, "https://a.example/x", query: query).resolved(against: nil)
        }
        #expect(error?.code == .encoding)
        #expect(error?.outcome == .notSent)
        #expect(error?.message.contains("\"limit\"") == true)
        let joined = QueryBuilder().adding(encoding: ["limit": number])
        #expect(joined.problem != nil)
        let outer = QueryBuilder(format: .init(lists: .comma)).adding("l", [1, number])
        #expect(outer.problem != nil)
    }
}
