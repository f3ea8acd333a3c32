import Testing

@testable import NetKit

struct MediaTypeTests {
    @Test(arguments: [
        ("text/html", "text/html", [:]), (" Text/HTML ; Charset=UTF-8", "text/html", ["charset": "UTF-8"]),
        (#"a/b;x="1;\"2";y=3"#, "a/b", ["x": #"1;"2"#, "y": "3"]), ("a/b;;x;=1;z= 2 ;z=3", "a/b", ["z": "2"]),
        ("a/b;x=\"open", "a/b", [:]), ("a/b; x=\"\"", "a/b", ["x": ""]),
        ("a/b;c=\"d;e\";f=g", "a/b", ["c": "d;e", "f": "g"]), ("a/b; ; x", "a/b", [:]),
    ])
    func isReadWithItsParameters(_ text: String, _ name: String, _ parameters: [String: String]) throws {
        let type = try #require(MediaType(text))
        #expect(type.name == name)
        #expect(type.parameters == parameters)
    }

    @Test(arguments: ["", "text", "/", "a/", "/b", "a/b/c", "a b/c", ";a/b", ";charset=utf-8", "a/b c"])
    func invalidTextIsNil(_ text: String) {
        #expect(MediaType(text) == nil)
    }

    /// Some servers and proxies repeat the field.
    @Test(
        arguments: [
            (["application/json", "application/json"], "application/json"),
            (["text/html, application/json; a=\"x,y/z\""], "application/json"), (["text/html", "none"], "text/html"),
            (["a/b", ""], "a/b"), (["none"], nil), ([], nil),
        ] as [([String], String?)]
    )
    func theLastValidFieldCounts(_ values: [String], _ name: String?) {
        #expect(MediaType(of: HTTPHeaders(values.map { .init("Content-Type", $0) }))?.name == name)
    }

    @Test func noInputCrashes() {
        let pieces = ["text/plain", "/", ";", "charset", "=", "\"", "\\", "utf-8", " ", "\t", "é", "\0"]
        ParserFuzz.texts(pieces) { _ = MediaType($0) }
        #expect(
            ParserFuzz.isLinear([";", "a=b;", "\"", "\\\"", "=", " ", "a"], prefix: "a/b;x=\"") { _ = MediaType($0) }
        )
        #expect(ParserFuzz.isLinear([";", "a=b;", " ", "a", "=\"x\";"], prefix: "a/b") { _ = MediaType($0) })
    }
}
