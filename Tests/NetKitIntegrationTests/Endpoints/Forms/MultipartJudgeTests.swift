import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of forms with nine independent parsers.
///
/// `NETKIT_MULTIPART_JUDGES` names a script that reads `{"ctype", "body" in hexadecimal, …}` lines and prints what each
/// parser saw as `[[name, file name or null, text], …]`, and `NETKIT_MULTIPART_PYTHON` the Python that has them.
@Suite(.needsTheMachine, .needsMultipartJudges)
struct MultipartJudgeTests {
    private static let names = [
        "plain", "sp ace", "q\"uote", "back\\slash", "cr\rlf\n", "crlf\r\n", "é", "€", "😀", "a;b", "a=b", "a'b", "%22",
        "a\0b",
        "../../etc/passwd", "C:\\x\\y.txt", "", " lead", "trail ", "\u{200F}\u{202E}", "--boundary", "name*=x", "a,b",
        "\t",
    ]

    /// The parts that a parser refuses or drops, although browsers send the same bytes.
    private static let refusals: Set<String> = [
        // aiohttp accepts no NUL in a header.
        "aiohttp field 13", "aiohttp file 13",
        // Django drops a file whose name has nothing visible.
        "django file 19", "django file 23",
    ]

    private struct Case {
        let label: String
        let form: MultipartForm
        /// Name, file name and content of each part.
        let parts: [[JSONValue]]
    }

    private static func normalized(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        var previous: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            if scalar == "\n" || scalar == "\r" {
                if !(previous == "\r" && scalar == "\n") { scalars.append(contentsOf: "\r\n".unicodeScalars) }
            } else {
                scalars.append(scalar)
            }
            previous = scalar
        }
        return String(scalars)
    }

    private static var cases: [Case] {
        var cases: [Case] = []
        for (index, name) in names.enumerated() {
            let value = "v:" + name
            cases.append(
                Case(
                    label: "field \(index)",
                    form: MultipartForm { $0.field(name, value) },
                    parts: [[.string(normalized(name)), .null, .string(normalized(value))]]
                )
            )
            let content = "data " + name
            cases.append(
                Case(
                    label: "file \(index)",
                    form: MultipartForm {
                        $0.data("f", Data(content.utf8), fileName: name, contentType: "text/plain")
                    },
                    parts: [["f", .string(name), .string(content)]]
                )
            )
        }
        let several = MultipartForm {
            $0.field("a", "1")
            $0.data(
                "f",
                Data("\r\n--x\r\n".utf8),
                fileName: "x.txt",
                contentType: "text/plain",
                headers: ["X-Part": "1"]
            )
            $0.field("a", "")
            $0.data("g", Data(), fileName: "empty", contentType: "text/plain")
        }
        let parts: [[JSONValue]] = [
            ["a", nil, "1"], ["f", "x.txt", "\r\n--x\r\n"], ["a", nil, ""], ["g", "empty", ""],
        ]
        cases.append(Case(label: "several", form: several, parts: parts))
        return cases
    }

    @Test func nineParsersSeeWhatWasMeant() async throws {
        let script = try #require(MultipartJudges.script)
        let folder = try TemporaryFolder()
        var lines = ""
        for item in Self.cases {
            let body = item.form.body
            var bytes = Data()
            for try await chunk in body.chunks { bytes.append(chunk) }
            let hex = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            let line: JSONValue = ["ctype": .string(body.contentType ?? ""), "body": .string(hex)]
            lines += String(decoding: try JSONEncoder().encode(line), as: UTF8.self) + "\n"
        }
        let input = try folder.write(Data(lines.utf8), to: "cases")
        let shell = SystemTool(path: "/bin/sh")
        let result = try await shell.run([
            "-c", "\"$0\" \"$1\" < \"$2\" 2>/dev/null", MultipartJudges.python, script, input.path(),
        ])
        let outputs = try result.output.split(separator: "\n").map { try JSONValue(parsing: Data($0.utf8)) }
        try #require(outputs.count == Self.cases.count)
        var (exact, seen, refused): ([String: Int], Int, Set<String>) = ([:], 0, [])
        for (item, output) in zip(Self.cases, outputs) {
            let judges = try #require(output["judges"]?.object)
            #expect(judges.count == 9)
            for (judge, said) in judges {
                let found = said.array?.compactMap(\.array) ?? []
                // Several parsers return files after fields.
                let isExact = Set(found) == Set(item.parts) && found.count == item.parts.count
                let texts = found.map { $0.last ?? .null }
                if isExact { exact[judge, default: 0] += 1 }
                if Set(texts) == Set(item.parts.map { $0.last ?? .null }), found.count == item.parts.count {
                    seen += 1
                } else {
                    refused.insert("\(judge) \(item.label)")
                }
            }
        }
        #expect(refused == Self.refusals)
        #expect(seen == 9 * Self.cases.count - Self.refusals.count)
        // These two undo every escape, and change a few names themselves: they remove the folders of a path.
        #expect((exact["node"] ?? 0) >= 46, "\(exact)")
        #expect((exact["multipart"] ?? 0) >= 45, "\(exact)")
    }
}
