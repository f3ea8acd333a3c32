import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of forms and queries with Python's `urllib.parse`, which reads and writes them.
@Suite(.needsTheMachine, .needs(.python3))
struct QueryJudgeTests {
    private static let script = """
        import json, sys, urllib.parse as p
        for line in open(sys.argv[1], encoding="utf-8"):
            c = json.loads(line)
            pairs = [tuple(x) for x in c["pairs"]]
            print(json.dumps({
                "query": p.parse_qsl(c["query"], keep_blank_values=True, strict_parsing=bool(pairs)),
                "form": p.parse_qsl(c["form"], keep_blank_values=True, strict_parsing=bool(pairs)),
                "written": p.urlencode(pairs, quote_via=p.quote, safe=""),
            }))
        """

    private static let texts = [
        "a", "", "a b", "a+b", "a&b=c", "é", "😀", "100%", "%41", "a/b?c#d", "-._~", "*", "\r\n", "\0", "\"", "'()!",
        ";,:@$", "[]", "=",
        "  ", "\u{FEFF}", "\u{7F}", "ＡＢ", "e\u{301}",
    ]

    private static var lists: [[(String, String)]] {
        var numbers = RandomSource.seeded(1)
        let single = texts.flatMap { text in [[(text, "v")], [("n", text)], [(text, text)]] }
        let drawn = (0..<300).map { _ in
            (0..<Int.random(in: 1...8, using: &numbers)).map { _ in
                let scalars = (0..<Int.random(in: 0...6, using: &numbers)).compactMap { _ in
                    Unicode.Scalar(UInt32.random(in: 0...0x2FF, using: &numbers))
                }
                return (texts.randomElement(using: &numbers) ?? "", String(String.UnicodeScalarView(scalars)))
            }
        }
        return single + drawn
    }

    @Test func pythonParsesTheSamePairs() async throws {
        let lists = Self.lists
        let folder = try TemporaryFolder()
        var lines = ""
        for pairs in lists {
            var query = QueryBuilder()
            for (name, value) in pairs { query.add(name, value) }
            var form = Data()
            for try await chunk in HTTPBody.form(query).chunks { form.append(chunk) }
            let line: JSONValue = [
                "pairs": .array(pairs.map { [.string($0.0), .string($0.1)] }), "query": .string(query.encoded),
                "form": .string(String(decoding: form, as: UTF8.self)),
            ]
            lines += String(decoding: try JSONEncoder().encode(line), as: UTF8.self) + "\n"
        }
        let input = try folder.write(Data(lines.utf8), to: "cases")
        let result = try await Peer.python3.required().run(["-c", Self.script, input.path()])
        let outputs = try result.output.split(separator: "\n").map { try JSONValue(parsing: Data($0.utf8)) }
        try #require(outputs.count == lists.count, "\(result.output.suffix(500))")
        for (pairs, output) in zip(lists, outputs) {
            let meant = JSONValue.array(pairs.map { [.string($0.0), .string($0.1)] })
            var query = QueryBuilder()
            for (name, value) in pairs { query.add(name, value) }
            #expect(output["query"] == meant)
            #expect(output["form"] == meant)
            #expect(output["written"]?.string == query.encoded)
        }
    }
}
