import Testing

@testable import NetKit

struct CurlHeadTests {
    private func read(_ lines: String...) -> (head: CurlHead, progress: [CurlHead.Progress]) { read(lines) }

    private func read(_ lines: [String]) -> (head: CurlHead, progress: [CurlHead.Progress]) {
        var head = CurlHead()
        let progress = lines.map { line in
            Array(line.utf8).withUnsafeBytes { head.add($0) }
        }
        return (head, progress)
    }

    /// Reads a status line and fields, of which none has its line break.
    private func read(ok fields: [String]) -> CurlHead {
        read((["HTTP/1.1 200 OK"] + fields).map { $0 + "\r\n" }).head
    }

    @Test func fieldsKeepTheirOrderCaseAndNumber() {
        let (head, progress) = read(
            "HTTP/1.1 200 OK\r\n",
            "x-B: 1\r\n",
            "X-a:2\r\n",
            "x-B:  3 \t\r\n",
            "Empty:\r\n",
            "\r\n"
        )
        #expect(progress.last == .complete)
        #expect(head.status == 200)
        #expect(head.fields().fields == [.init("x-B", "1"), .init("X-a", "2"), .init("x-B", "3"), .init("Empty", "")])
    }

    @Test func informationalResponsesLeaveNothing() {
        let (head, progress) = read(
            "HTTP/1.1 103 Early Hints\r\n",
            "Link: </a>\r\n",
            "\r\n",
            "HTTP/1.1 204 None\r\n",
            "X: y\r\n",
            "\r\n"
        )
        #expect(progress[2] == .informational)
        #expect(progress[5] == .complete)
        #expect(head.status == 204)
        #expect(head.fields().fields == [.init("X", "y")])
    }

    @Test func aTransferCodingIsFoundInAnyLine() {
        #expect(read("HTTP/1.1 200 OK\r\n", "TRANSFER-encoding:chunked\r\n", "A: b\r\n", "\r\n").head.isChunked)
        #expect(read("HTTP/1.1 200 OK\r\n", "A: b\r\n", "Transfer-Encoding: chunked\r\n", "\r\n").head.isChunked)
        #expect(!read("HTTP/1.1 200 OK\r\n", "A: transfer-encoding: chunked\r\n", "\r\n").head.isChunked)
        #expect(!read("HTTP/1.1 200 OK\r\n", "\r\n").head.isChunked)
    }

    /// libcurl ends a chunked body with its last chunk, wherever the coding is in the list. Any other ends with its
    /// connection.
    @Test(arguments: [
        (["Transfer-Encoding: gzip, chunked"], true), (["Transfer-Encoding: gzip ,\t Chunked \t"], true),
        (["Transfer-Encoding: chunked ,, "], true), (["Transfer-Encoding: gzip", "transfer-encoding: chunked"], true),
        (["Transfer-Encoding: chunked", "Transfer-Encoding: ,"], true),
        (["Transfer-Encoding: chunked, identity"], true), (["Transfer-Encoding: ,chunked,gzip"], true),
        (["Transfer-Encoding: chunked", "Transfer-Encoding: identity"], true),
        (["Transfer-Encoding: gzip"], false), (["Transfer-Encoding: gzip, identity"], false),
        (["Transfer-Encoding: chunkedx"], false), (["Transfer-Encoding: xchunked"], false),
        (["Transfer-Encoding: chunk"], false), (["Transfer-Encoding: ,"], false), (["Transfer-Encoding:"], false),
        (["Transfer-Encoding: gzip", "X: y,", " chunked"], false),
    ])
    func aBodyIsChunkedIfThatIsOneOfItsTransferCodings(fields: [String], isChunked: Bool) {
        #expect(read(ok: fields).isChunked == isChunked)
    }

    /// libcurl decodes gzip, but does not check that it is whole.
    @Test(arguments: [
        ["Transfer-Encoding: gzip, chunked"], ["Transfer-Encoding: deflate"], ["Transfer-Encoding: chunkedx"],
        ["Transfer-Encoding: chunked", "transfer-encoding: identity, x-gzip"],
    ])
    func anyOtherTransferCodingIsNoted(fields: [String]) {
        #expect(read(ok: fields).hasOtherTransferCoding)
        let head = read(ok: ["Transfer-Encoding: Identity ,, chunked", "Transfer-Encoding:"])
        #expect(!head.hasOtherTransferCoding)
        let early = ["HTTP/1.1 103 Early Hints"] + fields + ["", "HTTP/1.1 200 OK"]
        #expect(!read(early.map { $0 + "\r\n" }).head.hasOtherTransferCoding)
    }

    /// libcurl does not join the lines, and would take the framing of the chunks for the body.
    @Test(arguments: [
        ["Transfer-Encoding:", "\tchunked"], ["Transfer-Encoding: gzip,", " chunked"],
        ["Content-Length: 1", " 0"], ["Content-Encoding: gzip,", " br"],
        ["X: y", "transfer-encoding: chunked", " ", "A: b"],
    ])
    func aFoldedFieldThatDescribesTheBodyIsRefused(fields: [String]) {
        #expect(read(ok: fields).problem == "a field that describes its body is folded")
    }

    @Test(arguments: [
        ["X: y", " z", "Transfer-Encoding: chunked", "A: b", "\tc"], ["Content-Type: a", " b", "Content-Length: 1"],
    ])
    func anyOtherFieldMayBeFolded(fields: [String]) {
        #expect(read(ok: fields).problem == nil)
    }

    @Test func aSwitchOfProtocolsIsAResponse() {
        #expect(read("HTTP/1.1 101 Switching\r\n", "\r\n").progress.last == .complete)
    }

    @Test func foldedLinesContinueTheLastField() {
        let (head, _) = read("HTTP/1.1 200\n", " lost\n", "X: one\n", "\ttwo\n", "  three\n", "\n")
        #expect(head.fields().fields == [.init("X", "one two three")])
    }

    @Test func theTransportsNeedsAreKnown() {
        let (head, _) = read(
            "HTTP/2 200\r\n",
            "content-length: 5\r\n",
            "CONTENT-ENCODING: gzip\r\n",
            "content-type: a/b\r\n",
            "\r\n"
        )
        #expect(head.declaredLength == 5)
        #expect(head.codings == ["gzip"])
        #expect(head.problem == nil)
    }

    /// The chunks take precedence over a length, which may be wrong.
    @Test(
        arguments: [
            (["Content-Length: 3", "transfer-encoding: chunked"], nil),
            (["Transfer-Encoding: a, chunked", "Content-Length: 3"], nil),
            (["Content-Length: 3", "Transfer-Encoding: identity"], 3), (["Content-Length: 3"], 3),
        ] as [([String], Int64?)]
    )
    func aChunkedBodyHasNoLength(_ fields: [String], _ length: Int64?) {
        let head = read(ok: fields + [""])
        #expect(head.declaredLength == length)
        #expect(head.fields()["Content-Length"] == "3")
    }

    @Test(arguments: [
        ["HTTP/1.1 200 OK", "Content-Length: 5", "Content-Length: 6"],
        ["HTTP/1.1 200 OK", "Content-Length: five"],
        ["HTTP/1.1 200 OK", "Content-Length: -5"],
        ["HTTP/1.1 200 OK", "Content-Length:"],
        ["HTTP/1.1 99 Odd"],
        ["HTTP/1.1 2000 Odd"],
        ["HTTP/1.1 OK"],
    ])
    func aViolationOfTheProtocolIsNamed(_ lines: [String]) {
        #expect(read(lines.map { $0 + "\r\n" }).head.problem != nil)
    }

    @Test func theSameLengthTwiceIsNoProblem() {
        let (head, _) = read("HTTP/1.1 200 OK\r\n", "Content-Length: 5\r\n", "Content-Length: 5\r\n", "\r\n")
        #expect(head.problem == nil)
    }

    @Test func bytesThatAreNotTextHarmNoOtherField() {
        var head = CurlHead()
        for line in [Array("HTTP/1.1 200 OK\r\n".utf8), [0x58, 0x3A, 0xFF, 0x0D, 0x0A], [0x0D, 0x0A]] {
            _ = line.withUnsafeBytes { head.add($0) }
        }
        #expect(head.fields().fields == [.init("X", "\u{FFFD}")])
    }
}
