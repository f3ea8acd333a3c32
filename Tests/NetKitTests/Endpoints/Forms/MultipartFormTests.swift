import Foundation
import NetKitTesting
import Testing

@testable import NetKit

struct MultipartFormTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func text(_ body: HTTPBody) async throws -> String {
        var data = Data()
        for try await chunk in try body.prepared().chunks { data.append(chunk) }
        return String(decoding: data, as: UTF8.self)
    }

    private func form(_ build: (inout MultipartForm) throws -> Void) rethrows -> MultipartForm {
        var form = try MultipartForm(build)
        form.boundary = "B"
        return form
    }

    private func problem(_ form: MultipartForm) throws -> NetKitError {
        try #require(#expect(throws: NetKitError.self) { try form.body.prepared() })
    }

    /// Byte for byte the output of Node's own encoder for 24 names, as fields and as file names.
    @Test(arguments: try VectorFile("multipart-node").cases)
    func writesWhatNodeWrites(_ vector: JSONValue) async throws {
        let name = try #require(vector["name"]?.string)
        let hex = try #require(vector["body"]?.string)
        var form = MultipartForm { form in
            if vector["kind"]?.string == "field" {
                form.field(name, "v:" + name)
            } else {
                form.data("f", Data(("data " + name).utf8), fileName: name, contentType: "text/plain")
            }
        }
        form.boundary = "BOUNDARY"
        var bytes = Data()
        for try await chunk in try form.body.prepared().chunks { bytes.append(chunk) }
        #expect(bytes.map { String(format: "%02x", $0) }.joined() == hex)
    }

    @Test func partsStandInOrder() async throws {
        let file = try folder.write(Data("<b>".utf8), to: "page.html")
        let form = form {
            $0.field("a", 1)
            $0.field("tags", ["x", "y"])
            $0.field("none", Int?.none)
            $0.file("page", at: file)
            $0.data("raw", Data("z".utf8), contentType: "image/png", headers: ["X-A": "1"])
            $0.json("j", ["k": 1])
        }
        let expected = [
            "--B", #"Content-Disposition: form-data; name="a""#, "", "1",
            "--B", #"Content-Disposition: form-data; name="tags""#, "", "x",
            "--B", #"Content-Disposition: form-data; name="tags""#, "", "y",
            "--B", #"Content-Disposition: form-data; name="page"; filename="page.html""#, "Content-Type: text/html", "",
            "<b>",
            "--B", #"Content-Disposition: form-data; name="raw""#, "Content-Type: image/png", "X-A: 1", "", "z",
            "--B", #"Content-Disposition: form-data; name="j""#, "Content-Type: application/json", "", #"{"k":1}"#,
            "--B--", "",
        ]
        #expect(try await text(form.body) == expected.joined(separator: "\r\n"))
        #expect(form.body.contentType == "multipart/form-data; boundary=B")
        #expect(try form.body.prepared().length == Int64(expected.joined(separator: "\r\n").utf8.count))
        #expect(form.body.canReplay)
    }

    @Test func anEmptyFormIsItsEnd() async throws {
        #expect(try await text(form { _ in }.body) == "--B--\r\n")
    }

    @Test func aFormCanStandInAForm() async throws {
        var inner = form { $0.field("x", "y") }
        inner.boundary = "I"
        let outer = form { $0.add(.init(name: "mixed", body: inner.body)) }
        let text = try await text(outer.body)
        #expect(text.contains("name=\"mixed\"\r\nContent-Type: multipart/form-data; boundary=I\r\n\r\n--I\r\n"))
        #expect(text.hasSuffix("--I--\r\n\r\n--B--\r\n"))
    }

    @Test func aFormInAFormIsReadAtAnyPlace() async throws {
        let file = try folder.write(Data("<b>".utf8), to: "page.html")
        let inner = MultipartForm { $0.file("page", at: file) }
        let outer = MultipartForm { $0.add(.init(name: "inner", body: inner.body)) }
        let whole = MultipartForm { $0.add(.init(name: "outer", body: outer.body)) }
        let body = try whole.body.prepared()
        let source = try #require(try RequestBodySource.readable(body))
        var bytes = [UInt8](repeating: 0, count: Int(source.length))
        let count = try bytes.withUnsafeMutableBytes { try source.read(into: $0, at: 0) }
        #expect(count == bytes.count)
        let expected = try await text(body)
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
    }

    @Test func theBoundaryIsDrawnAndNeverStandsInAPart() async throws {
        let first = MultipartForm { $0.field("a", "b") }
        let drawn = try #require(first.body(random: .seeded(1)).contentType)
        let boundary = try #require(drawn.split(separator: "=").last.map(String.init))
        #expect(boundary.hasPrefix("----netkit-") && boundary.utf8.count == 43)
        #expect(first.body.contentType != first.body.contentType)
        let hostile = MultipartForm { $0.field("a", "\r\n--\(boundary)--\r\n") }
        let second = try #require(hostile.body(random: .seeded(1)).contentType)
        #expect(second != drawn)
        var nested = MultipartForm { $0.add(.init(name: "inner", body: hostile.body)) }
        nested.boundary = boundary
        #expect(try problem(nested).code == .invalidRequest)
        var large = MultipartForm { $0.data("dashes", Data(repeating: UInt8(ascii: "-"), count: 100_000)) }
        large.boundary = boundary
        #expect(try large.body.prepared().length ?? 0 > 100_000)
        var forced = hostile
        forced.boundary = boundary
        #expect(try problem(forced).code == .invalidRequest)
    }

    @Test(arguments: ["", "a b", "a\r\nb", "é", String(repeating: "x", count: 71), "a;b", "\"a\""])
    func aBoundaryThatIsNoneIsRefused(_ boundary: String) throws {
        var form = MultipartForm { $0.field("a", "b") }
        form.boundary = boundary
        #expect(try problem(form).code == .invalidRequest)
    }

    @Test func anUnreadableBodyIsRefusedBeforeSending() throws {
        let remoteURL = try #require(exampleBase)
        let missing = MultipartForm { $0.file("f", at: folder.file("missing")) }
        let directory = MultipartForm { $0.file("f", at: folder.url) }
        let remote = MultipartForm { $0.file("f", at: remoteURL) }
        for form in [missing, directory, remote] {
            let error = try problem(form)
            #expect(error.code == .file)
            #expect(error.outcome == .notSent)
        }
        #expect(try problem(MultipartForm { $0.field("n", Double.nan) }).code == .encoding)
    }

    @Test(arguments: [
        ("X-A\r\nEvil", "1"), ("X-A", "1\r\nEvil: 2"), ("Content-Disposition", "inline"), ("", "1"), ("X A", "1"),
    ])
    func headersCannotBeSmuggledIn(_ name: String, _ value: String) throws {
        let form = MultipartForm { $0.data("f", Data(), headers: HTTPHeaders([.init(name, value)])) }
        #expect(try problem(form).code == .invalidRequest)
        let type = MultipartForm { $0.data("f", Data(), contentType: "a/b\r\nX: y") }
        #expect(try problem(type).code == .invalidRequest)
    }

    @Test(arguments: [("12345", Int64(5), true), ("1234", 5, false), ("123456", 5, false)])
    func aStreamKeepsItsLength(_ content: String, _ length: Int64, _ isKept: Bool) async throws {
        let stream = AsyncStream { continuation in
            for byte in content.utf8 { continuation.yield(Data([byte])) }
            continuation.finish()
        }
        let form = form { $0.add(.init(name: "s", body: .stream(length: length, stream), fileName: "s")) }
        let body = form.body
        #expect(!body.canReplay)
        #expect(body.length != nil)
        if isKept {
            #expect(try await text(body).contains("\r\n\r\n12345\r\n--B--"))
        } else {
            let error = await #expect(throws: NetKitError.self) { try await text(body) }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test func anUnknownPartMakesTheLengthUnknown() throws {
        let form = form { $0.add(.init(name: "s", body: .stream(AsyncStream<Data> { $0.finish() }))) }
        #expect(form.body.length == nil)
    }

    @Test func theTypeOfAFileComesFromItsName() {
        let names = [
            "a.PNG": "image/png", "b.tar.gz": "application/gzip", "c": "application/octet-stream",
            ".json": "application/octet-stream",
        ]
        for (name, type) in names { #expect(FileType.mediaType(ofFileNamed: name) == type) }
    }

    @Test func bytesAndFilesAreReadAtAnyPlace() throws {
        let content = Data((0..<1000).map { UInt8($0 % 251) })
        let file = try folder.write(content, to: "file")
        let bodies: [HTTPBody] = [
            .data(Data("head".utf8)), .data(Data()), .file(at: file), .data(Data("middle".utf8)),
            .file(at: file, offset: 10, length: 20), .data(Data("end".utf8)),
        ]
        let whole = Data("head".utf8) + content + Data("middle".utf8) + content[10..<30] + Data("end".utf8)
        let source = try #require(try JoinedBodySource(bodies)).source
        #expect(source.length == Int64(whole.count))
        for position in [0, 1, 3, 4, 5, 1003, 1004, 1009, 1010, 1029, 1030, 1032, 1033, 2000] {
            for size in [1, 7, 64, 4096] {
                var buffer = [UInt8](repeating: 0, count: size)
                let count = try buffer.withUnsafeMutableBytes {
                    try source.read(into: $0, at: Int64(position))
                }
                #expect(Data(buffer[..<count]) == whole.dropFirst(position).prefix(size))
            }
        }
        let withStream: [HTTPBody] = [.data(Data()), .stream(AsyncStream<Data> { $0.finish() })]
        #expect(try JoinedBodySource(withStream) == nil)
    }

    /// The server may have acted on what came before the file.
    @Test func aFileThatIsRemovedWhileAFormIsSentLeavesTheOutcomeUnknown() async throws {
        let file = try folder.write(Data("content".utf8), to: "file")
        let body = try form { $0.file("f", at: file) }.body.prepared()
        let source = try #require(try RequestBodySource.readable(body))
        var chunks = body.chunks.makeAsyncIterator()
        #expect(try await chunks.next() != nil)
        try SystemFileSystem().remove(file.path(percentEncoded: false))

        let first = await #expect(throws: NetKitError.self) { try await chunks.next() }
        #expect(first?.code == .file)
        #expect(first?.outcome == .unknown)
        let second = #expect(throws: NetKitError.self) {
            var buffer = Data(count: 4096)
            _ = try buffer.withUnsafeMutableBytes { try source.read(into: $0, at: 0) }
        }
        #expect(second?.code == .file)
        #expect(second?.outcome == .unknown)
    }
}
