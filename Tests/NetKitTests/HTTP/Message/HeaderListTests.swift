import Testing

@testable import NetKit

struct HeaderListTests {
    @Test(arguments: [
        ("a, b ,,\tc", ["a", "b", "c"]), ("", []), (#""a,b",c"#, [#""a,b""#, "c"]),
        (#"x="a\",b", c"#, [#"x="a\",b""#, "c"]), (#"x="a\\",b"#, [#"x="a\\""#, "b"]),
        (#"a\",b",c"#, [#"a\",b""#, "c"]),
        (#""a,b"#, [#""a,b"#]), (#""a\"#, [#""a\"#]),
    ])
    func isSplitAtCommasOutsideOfQuotes(value: String, members: [String]) {
        #expect(HeaderList.members(of: value) == members)
    }

    @Test func aParameterCannotNameAnotherType() {
        let headers: HTTPHeaders = ["Content-Type": #"text/html; a="\",application/json,\""; charset=koi8-r"#]
        #expect(MediaType(of: headers)?.name == "text/html")
        #expect(MediaType(of: headers)?.parameters["charset"] == "koi8-r")
    }

    /// A backslash in a tag is a character like any other.
    @Test func tagsHaveNoEscapes() {
        #expect(EntityTag(#""b""#).isListed(in: #""a\", "b""#))
        #expect(EntityTag(#""a\""#).isListed(in: #"W/"a\", "b""#))
        #expect(!EntityTag(#""b""#).isListed(in: #""a, "b""#))
    }

    @Test func takesLinearTime() {
        #expect(ParserFuzz.isLinear([",", "\"", "\\", "\\\"", "a", " "]) { _ = HeaderList.members(of: $0) })
    }
}
