import Testing

@testable import NetKit

struct HTTPHeadersTests {
    private typealias Field = HTTPHeaders.Field

    private let cookies: HTTPHeaders = ["Set-Cookie": "a=1, b", "X-A": "1", "set-cookie": "c=2"]

    @Test func keepsOrderCaseAndRepetitions() {
        #expect(cookies.fields == [Field("Set-Cookie", "a=1, b"), Field("X-A", "1"), Field("set-cookie", "c=2")])
        #expect(cookies.count == 3)
        #expect(cookies.map(\.name) == ["Set-Cookie", "X-A", "set-cookie"])
        #expect(HTTPHeaders(cookies.fields) == cookies)
    }

    @Test func twoCookiesStayTwo() {
        #expect(cookies.values(of: "SET-COOKIE") == ["a=1, b", "c=2"])
        #expect(cookies["Set-Cookie"] == "a=1, b")
    }

    @Test(arguments: ["X-A", "x-a", "X-a"])
    func findsAFieldInAnyCase(_ name: String) {
        #expect(cookies[name] == "1")
        #expect(cookies.values(of: name) == ["1"])
        #expect(cookies.contains(name))
    }

    @Test(arguments: ["X-B", "X-A ", "", "X_A", "X-Ä"])
    func findsNoValueUnderAnotherName(_ name: String) {
        #expect(cookies[name] == nil)
        #expect(cookies.values(of: name) == [])
        #expect(!cookies.contains(name))
    }

    /// ASCII letters only, as in the grammar: no other letter has two cases here.
    @Test(arguments: [("ä", "Ä"), ("K", "\u{212A}"), ("i", "İ"), ("[", "{"), ("@", "`"), ("a", "aa")])
    func comparesNamesByASCIIOnly(_ left: String, _ right: String) {
        #expect(!HTTPHeaders.isEqual(left, right))
        #expect(!HTTPHeaders.isEqual(right, left))
        #expect(HTTPHeaders.isEqual(left, left))
    }

    @Test func readsRepeatedFieldsJoined() {
        let headers: HTTPHeaders = ["Vary": "A", "X": "0", "vary": "B, C", "VARY": ""]
        #expect(headers["Vary"] == "A, B, C, ")
        #expect(headers.values(of: "Vary") == ["A", "B, C", ""])
    }

    /// RFC 9113, section 8.2.3.
    @Test func readsRepeatedCookiesAsOneList() {
        let headers: HTTPHeaders = ["Cookie": "a=1; b=2", "cookie": "c=3"]
        #expect(headers["COOKIE"] == "a=1; b=2; c=3")
        #expect(headers.values(of: "Cookie") == ["a=1; b=2", "c=3"])
    }

    @Test func setsANewFieldAtTheEnd() {
        var headers: HTTPHeaders = ["A": "1"]
        headers["B"] = "2"
        #expect(headers == ["A": "1", "B": "2"])
    }

    @Test func replacesEveryFieldOfANameWhereTheFirstStood() {
        var headers: HTTPHeaders = ["A": "1", "B": "2", "a": "3", "C": "4", "A": "5"]
        headers["a"] = "6"
        #expect(headers == ["A": "6", "B": "2", "C": "4"])
    }

    @Test func removesEveryFieldOfAName() {
        var headers: HTTPHeaders = ["A": "1", "B": "2", "a": "3"]
        headers["A"] = nil
        #expect(headers == ["B": "2"])
        headers.remove("b")
        #expect(headers.isEmpty)
        headers["missing"] = nil
        #expect(headers.isEmpty)
    }

    @Test func addsWithoutReplacing() {
        var headers: HTTPHeaders = ["A": "1"]
        headers.add("A", "2")
        headers.add(contentsOf: ["B": "3", "A": "4"])
        #expect(headers == ["A": "1", "A": "2", "B": "3", "A": "4"])
    }

    @Test func setsEveryFieldOfAnotherList() {
        var headers: HTTPHeaders = ["A": "1", "B": "2", "C": "3"]
        headers.set(contentsOf: ["b": "4", "D": "5", "B": "6"])
        #expect(headers == ["A": "1", "C": "3", "b": "4", "D": "5", "B": "6"])
    }

    @Test func aDictionaryIsOrderedByName() {
        let values = ["X-B": "2", "Accept": "text/plain", "X-A": "1"]
        #expect(HTTPHeaders(values) == ["Accept": "text/plain", "X-A": "1", "X-B": "2"])
    }

    @Test func isEmptyAtFirst() {
        #expect(HTTPHeaders().isEmpty)
        #expect(HTTPHeaders().count == 0)
        #expect(HTTPHeaders().description == "HTTPHeaders()")
    }

    @Test func showsNamesButNoValues() {
        let headers: HTTPHeaders = ["Authorization": "s3cret", "X-Other": "s3cret"]
        #expect(headers.description == "HTTPHeaders(Authorization, X-Other)")
        #expect("\(headers)" == headers.description)
    }

    @Test(arguments: [2, 40])
    func manyFieldsAreSetAsAFewAre(_ count: Int) {
        var headers: HTTPHeaders = ["X-0": "old", "Other": "1", "x-1": "old", "X-0": "old"]
        headers.set(contentsOf: HTTPHeaders((0..<count).map { Field("x-\($0)", "new") } + [Field("X-0", "twice")]))
        #expect(headers.fields.first == Field("Other", "1"))
        #expect(headers.count == count + 2)
        #expect(headers["X-0"] == "new, twice")
        #expect(headers["x-1"] == "new")
    }

    @Test func manyFieldsTakeLinearTime() {
        let isLinear = ParserFuzz.isLinear(["X-A\n", "Set-Cookie\n"]) { text in
            let names = text.split(separator: "\n")
            let repeated = HTTPHeaders(names.map { Field(String($0), "a value") })
            _ = repeated["X-A"]
            var headers = HTTPHeaders(names.enumerated().map { Field("\($0.element)-\($0.offset)", "") })
            headers.set(contentsOf: headers)
            #expect(headers.count == names.count)
        }
        #expect(isLinear)
    }
}
