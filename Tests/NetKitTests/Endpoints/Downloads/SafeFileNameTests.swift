import Foundation
import Testing

@testable import NetKit

struct SafeFileNameTests {
    @Test(arguments: [
        ("report.pdf", "report.pdf"), ("été 2024.txt", "été 2024.txt"), ("../../etc/passwd", "passwd"), ("..", ""),
        (".", ""),
        ("/etc/passwd", "passwd"), (#"C:\Windows\cmd.exe"#, "cmd.exe"), (#"..\..\x"#, "x"), (".bashrc", "bashrc"),
        ("...hidden", "hidden"), ("a/", ""), ("", ""), ("   ", ""), (" a ", "a"), ("a.", "a"), ("a. .", "a"),
        ("a\0b\r\n\u{7}c", "abc"), ("\u{202E}fdp.exe", "fdp.exe"), ("a\u{200B}b", "ab"), ("a\u{2028}b", "ab"),
        ("NUL", "_NUL"), ("nul.txt", "_nul.txt"), ("com1", "_com1"), ("LPT9.log", "_LPT9.log"), ("CONsole", "CONsole"),
        ("com¹.txt", "_com¹.txt"), ("con .txt", "_con .txt"), ("a:b", "a_b"), ("a<b>c|d?e*f\"g", "a_b_c_d_e_f_g"),
        ("~root", "~root"), ("../\u{301}x", "x"), (".\u{301}x", "x"), ("\u{301}.", ""), ("-rf", "-rf"),
        ("a\u{0}/b\u{0}", "b"),
    ])
    func isDefused(_ said: String, _ name: String) {
        #expect(SafeFileName.safe(said) == name)
    }

    @Test func isNeverTooLong() {
        let long = SafeFileName.safe(String(repeating: "é", count: 500) + ".tar")
        #expect(long.utf8.count <= 200 && long.hasSuffix("é.tar"))
        let single = SafeFileName.safe("e" + String(repeating: "\u{301}", count: 500) + ".txt")
        #expect(single.utf8.count <= 200 && single.utf8.starts(with: "e".utf8))
    }

    @Test(arguments: [
        (
            ["Content-Disposition": #"attachment; filename="a.bin""#, "Content-Type": "text/plain"],
            "https://a.example/x.txt", "a.bin"
        ),
        (["Content-Type": "application/pdf"], "https://a.example/reports/7", "7.pdf"),
        (["Content-Type": "text/csv; charset=utf-8"], "https://a.example/reports/table.csv?x=/y", "table.csv"),
        (["Content-Type": "application/octet-stream"], "https://a.example/x", "x"),
        (["Content-Type": "application/vnd.api+json"], "https://a.example/", "download.json"),
        (["Content-Disposition": #"attachment; filename="..""#], "https://a.example/%2e%2e%2fetc%2Fpasswd", "passwd"),
        (["Content-Disposition": "attachment; filename=v1.2"], "https://a.example/x", "v1.2"),
        (
            ["Content-Disposition": #"attachment; filename="Dr. Who met them""#, "Content-Type": "text/plain"],
            "https://a.example/x", "Dr. Who met them.txt"
        ),
        ([:], "https://a.example", "download"),
    ])
    func comesFromTheResponse(_ headers: [String: String], _ url: String, _ name: String) {
        let fields = HTTPHeaders(headers.map { HTTPHeaders.Field($0.key, $0.value) })
        #expect(SafeFileName.name(for: fields, url: URL(string: url)) == name)
    }

    @Test(arguments: [
        ("a.txt", "a (2).txt"), ("a", "a (2)"), ("a.tar.gz", "a.tar (2).gz"), ("Dr. Who", "Dr. Who (2)"),
        (".x", ".x (2)"),
    ])
    func numbersStandBeforeTheExtension(_ name: String, _ numbered: String) {
        #expect(SafeFileName.numbered(name, 2) == numbered)
    }

    @Test func noInputCrashes() {
        let pieces = [
            "/", "\\", ".", "..", " ", "\0", "\r\n", "NUL", "com1", "é", "\u{202E}", "\u{301}", "😀", ".txt", ":", "a",
            "\u{FEFF}",
        ]
        ParserFuzz.texts(pieces) { text in
            let name = SafeFileName.safe(text)
            #expect(!name.utf8.starts(with: ".".utf8) && name.utf8.count <= 255)
            #expect(!name.utf8.contains(UInt8(ascii: "/")) && !name.utf8.contains(UInt8(ascii: "\\")))
            #expect(!name.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F })
            #expect(SafeFileName.safe(name) == name)
        }
        #expect(ParserFuzz.isLinear(["/", ".", " ", "a", "\u{301}", "\0"], prefix: "x") { _ = SafeFileName.safe($0) })
    }
}
