import Foundation
import Testing

@testable import NetKit

struct ContentDispositionTests {
    private static let vectors = ((try? VectorFile("content-disposition"))?.cases ?? []).filter { $0["options"] == nil }

    /// The cases in which the result differs from that of the other parser, with the reason.
    private static let explained = [
        #"attachment; filename*=utf-8''foo-%E4.html"#: "%E4 is not UTF-8: the name is as good as not there"
    ]

    private func matches(_ vector: JSONValue, _ header: String) -> Bool {
        let field = ContentDisposition(header)
        let expected = vector["expected"]
        // That parser keeps the raw form of an extended parameter beside the decoded one, and so does this list.
        return .string(field.type) == expected?["type"]
            && JSONValue.object(field.parameters.mapValues { .string($0) }) == expected?["parameters"]
    }

    @Test func readsThePublicCases() throws {
        var missed: Set<String> = []
        var listed = 0
        for vector in Self.vectors {
            let header = try #require(vector["header"]?.string)
            if vector["tc2231"]?.bool == true { listed += 1 }
            if !matches(vector, header) { missed.insert(header) }
        }
        #expect(Self.vectors.count == 128)
        #expect(listed == 88)
        #expect(missed == Set(Self.explained.keys))
    }

    /// Each public header, cut at every byte: nothing traps, and no name can leave its folder.
    @Test(arguments: vectors)
    func survivesEveryCut(_ vector: JSONValue) throws {
        let bytes = Array(try #require(vector["header"]?.string).utf8)
        for cut in 0...bytes.count {
            let field = ContentDisposition(String(decoding: bytes[..<cut], as: UTF8.self))
            let name = SafeFileName.safe(field.fileName ?? "")
            #expect(!name.utf8.contains(UInt8(ascii: "/")) && !name.utf8.starts(with: ".".utf8))
        }
    }

    @Test(arguments: [
        (#"attachment; filename="a.txt"; filename*=UTF-8''%E2%82%AC.txt"#, "€.txt"),
        (#"attachment; filename*=UTF-8''%E2%82%AC.txt; filename="a.txt""#, "€.txt"),
        (#"attachment; filename*=iso-8859-1'en'%A3.txt"#, "£.txt"),
        (#"attachment; filename="Report.pdf"; filename*=UTF-8''R%C3%A9port%20(1).pdf"#, "Réport (1).pdf"),
        (#"attachment; filename*=UTF-8''é.txt; filename=a.txt"#, "a.txt"),
        (#"attachment; filename*=UTF-8''%ZZ; filename=a.txt"#, "a.txt"),
        (#"attachment; filename*=GB2312''%C6; filename=a.txt"#, "a.txt"),
        (#"attachment; filename*=UTF-8''%FF; filename=a.txt"#, "a.txt"),
        (#"ATTACHMENT; FILENAME="a \"b\".txt""#, #"a "b".txt"#),
    ])
    func theExtendedNameComesFirst(_ header: String, _ name: String) {
        let field = ContentDisposition(header)
        #expect(field.type == "attachment")
        #expect(field.fileName == name)
    }

    @Test func noInputCrashes() {
        let pieces = [
            "attachment", ";", "filename", "*", "=", "\"", "\\", "UTF-8''", "%E2%82", "%", " ", "\t", "é", "../", "\0",
        ]
        ParserFuzz.texts(pieces) { text in
            let name = SafeFileName.safe(ContentDisposition(text).fileName ?? "")
            #expect(
                !name.utf8.contains(UInt8(ascii: "/")) && !name.utf8.starts(with: ".".utf8) && name.utf8.count <= 255
            )
        }
        let isLinear = ParserFuzz.isLinear(
            [";", "a=b;", "\"", "\\", "=", " ", "%41", "a*=UTF-8''%41;"],
            prefix: "x;a=\""
        ) {
            _ = ContentDisposition($0).fileName
        }
        #expect(isLinear)
    }
}
