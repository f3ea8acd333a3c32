import Foundation
import NetKitTesting
import Testing

@testable import NetKit

struct RequestValidationTests {
    private func request(
        _ method: HTTPMethod = .post,
        _ url: String = "https://a.example/x",
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody? = nil
    ) throws -> HTTPRequest {
        HTTPRequest(method, try #require(URL(string: url)), headers: headers, body: body)
    }

    private func refusal(of request: HTTPRequest) throws -> NetKitError {
        let error = try #require(throws: NetKitError.self) { try RequestValidation.validate(request) }
        #expect(error.outcome == .notSent)
        return error
    }

    /// No server responds to a HEAD with a body, and libcurl would wait for it. A TRACE must not have one (RFC 9110,
    /// section 9.3.8).
    @Test(arguments: [HTTPMethod.head, .trace])
    func refusesABodyOfSomeMethods(_ method: HTTPMethod) throws {
        try RequestValidation.validate(request(method))
        let message = try refusal(of: request(method, body: .text("a"))).message
        #expect(message.contains("A \(method) request cannot have a body"))
    }

    @Test(arguments: [
        "https://a.example", "http://a.example:1/", "HTTPS://A.example:65535/x?y#z", "https://a_b.example./",
        "https://1.2.3.4",
        "https://[::1]:8080/", "https://[fe80::1%25eth0]/", "https://user:pw@a.example/",
        "https://xn--bcher-kva.example/",
    ])
    func letsAnOrdinaryURLThrough(_ text: String) throws {
        let url = try #require(URL(string: text))
        #expect(RequestValidation.problem(ofURL: url) == nil)
        #expect(try HTTPRequest(.get, url).resolved(against: nil).url == url)
    }

    @Test(arguments: [
        ("/x", "has no scheme"), ("a.example/x", "has no scheme"), ("//a.example/x", "has no scheme"),
        ("ftp://a.example", "neither http nor https"), ("file:///etc/passwd", "neither http nor https"),
        ("javascript:alert(1)", "neither http nor https"), ("httpx://a.example", "neither http nor https"),
        ("https:///x", "has no host"), ("https:/x", "has no host"), ("http://:80/", "has no host"),
        ("https://a%20b/", "characters that no host name has"),
        ("https://ev%69l.example/", "characters that no host name has"),
        ("https://a%2Fb.example/", "characters that no host name has"),
        ("https://a,b.example/", "characters that no host name has"),
        ("https://a;b/", "characters that no host name has"), ("https://a!/", "characters that no host name has"),
        ("https://a.example%00/", "characters that no host name has"),
        ("https://a.example:0/", "port"), ("https://a.example:65536/", "port"), ("https://a.example:99999/", "port"),
    ])
    func refusesAURLAndSaysWhy(_ text: String, _ part: String) throws {
        let url = try #require(URL(string: text))
        let problem = try #require(RequestValidation.problem(ofURL: url))
        #expect(problem.contains(part))
    }

    /// A URL that the quick check takes for plain is also plain for Foundation's parser.
    @Test func theQuickLookAgreesWithTheParser() throws {
        var random = RandomSource.seeded(3)
        let pieces = [
            "a", "Z9", "x-y", ".", ":", "80", "65536", "@", "/", "?", "#", "\\", "%41", "[::1]", "_", "é", "//",
        ]
        var plain = 0
        for _ in 0..<5000 {
            let scheme = ["http://", "https://", "http:/", "HTTP://", "ftp://", ""].randomElement(using: &random) ?? ""
            let rest = (0..<Int.random(in: 0...5, using: &random)).map { _ in pieces.randomElement(using: &random) ?? ""
            }
            guard let url = URL(string: scheme + rest.joined()), RequestValidation.isPlain(url) else { continue }
            plain += 1
            #expect(url.scheme == "http" || url.scheme == "https")
            let host = try #require(url.host(percentEncoded: true))
            #expect(host.wholeMatch(of: /[A-Za-z0-9.-]+/) != nil, "\(url)")
            #expect((1...65_535).contains(url.port ?? 80), "\(url)")
            #expect(url.user == nil)
        }
        #expect(plain > 200)
        let base = URL(string: "https://a.example/b/")
        #expect(RequestValidation.isPlain(try #require(URL(string: "c", relativeTo: base))))
    }

    @Test func refusesItWhenTheRequestIsResolved() throws {
        let url = try #require(URL(string: "ftp://a.example/x"))
        let error = try #require(throws: NetKitError.self) { try HTTPRequest(.get, url).resolved(against: nil) }
        #expect(error.code == .invalidURL)
        #expect(error.outcome == .notSent)
        #expect(error.message == "The scheme of \"ftp://a.example/x\" is neither http nor https.")
    }

    @Test func hidesSecretsOfARefusedURL() throws {
        let url = try #require(URL(string: "ftp://me:s3cret@a.example/?token=s3cret#s3cret"))
        #expect(
            RequestValidation.problem(ofURL: url)
                == "The scheme of \"ftp://***@a.example/\" is neither http nor https."
        )
    }

    @Test(arguments: ["", "GE T", "GET\r\nX: y", "GET / HTTP/1.1\r\n\r\nDELETE", "GÉT", "GET\0", "GET:"])
    func refusesAMethodThatIsNoToken(_ method: String) throws {
        let error = try refusal(of: request(HTTPMethod(method)))
        #expect(error.code == .invalidRequest)
        #expect(error.message.hasPrefix("The method \""))
        #expect(!error.message.unicodeScalars.contains { $0.value < 0x20 })
    }

    @Test func refusesTunnels() throws {
        let error = try refusal(of: request("CONNECT"))
        #expect(error.code == .invalidRequest)
        #expect(error.message == "The method CONNECT cannot be sent. Set a proxy, and the transport opens the tunnel.")
    }

    @Test(arguments: ["connect", "PURGE", "M-SEARCH", "get"] as [HTTPMethod])
    func letsAnyOtherTokenThrough(_ method: HTTPMethod) throws {
        try RequestValidation.validate(request(method))
    }

    @Test(arguments: ["", " ", "X Y", "X:", "X\r\nEvil", "X\n", "X\0", "Ü", "X-A ", "(x)", "X,Y", "X\u{7F}"])
    func refusesAHeaderNameThatIsNoToken(_ name: String) throws {
        let error = try refusal(of: request(headers: ["A": "1", name: "s3cret"]))
        #expect(error.code == .invalidRequest)
        #expect(error.message.hasPrefix("The header name \""))
        #expect(!error.message.contains("s3cret"))
        #expect(!error.message.unicodeScalars.contains { $0.value < 0x20 })
    }

    /// A value is checked in blocks of 16 bytes and a rest.
    @Test(arguments: [0, 8, 9, 10, 31, 32, 126, 127, 128, 255] as [UInt8], [1, 15, 16, 17, 40])
    func everyByteIsCheckedForControlCharacters(_ byte: UInt8, length: Int) {
        let isControl = byte < 0x20 && byte != 0x09 || byte == 0x7F
        for position in 0..<length {
            var line = [UInt8](repeating: UInt8(ascii: "a"), count: length)
            line[position] = byte
            #expect(line.withUnsafeBytes { RequestValidation.hasControlCharacter($0) } == isControl)
        }
    }

    @Test func refusesEveryControlCharacterInAValueButTheTab() throws {
        for value in (UInt8(0)..<0x20).filter({ $0 != 9 }) + [0x7F] {
            let text = "s3cret" + String(decoding: [value], as: UTF8.self)
            let error = try refusal(of: request(headers: ["X-A": "fine", "X-B": text]))
            #expect(error.code == .invalidRequest)
            #expect(error.message.hasPrefix("The value of header \"X-B\" cannot be sent."))
            #expect(!error.message.contains("s3cret"))
        }
        let crLF = try refusal(of: request(headers: ["X-B": "a\r\nEvil: 1"]))
        #expect(crLF.message.hasPrefix("The value of header \"X-B\" cannot be sent."))
    }

    @Test(arguments: [
        "", " ", "a b", "a\tb", "Größe", "日本", "\u{80}", "\u{A0}", "\"quoted\", (comment); a=b", "~!@#$%^&*",
    ])
    func letsAnyOtherValueThrough(_ value: String) throws {
        try RequestValidation.validate(request(headers: ["X-A": value]))
    }

    @Test(arguments: ["Transfer-Encoding", "transfer-encoding", "TRANSFER-ENCODING"])
    func refusesToFrameByTransferEncoding(_ name: String) throws {
        let error = try refusal(of: request(headers: [name: "chunked"], body: .text("hi")))
        #expect(error.code == .invalidRequest)
        #expect(error.message == "Remove the header Transfer-Encoding: the transport frames the body.")
    }

    @Test(arguments: [
        "2", "6", "05", "+5", " 5", "5 ", "-5", "5.0", "5, 5", "0x5", "", "five", "٥", "99999999999999999999",
    ])
    func refusesAWrongContentLength(_ value: String) throws {
        let error = try refusal(of: request(headers: ["content-length": value], body: .text("hello")))
        #expect(error.code == .invalidRequest)
        #expect(
            error.message == "The header Content-Length says \(value), but the body has 5 bytes. Remove the header."
        )
    }

    @Test(arguments: ["5", "6"])
    func refusesASecondContentLength(_ second: String) throws {
        let headers: HTTPHeaders = ["Content-Length": "5", "content-length": second]
        let error = try refusal(of: request(headers: headers, body: .text("hello")))
        let message = "The header Content-Length occurs more than once. Remove it, because the transport sets it."
        #expect(error.message == message)
    }

    @Test(arguments: ["1", "", "00", "-0", "0, 0"])
    func refusesAContentLengthWithoutABody(_ value: String) throws {
        let error = try refusal(of: request(headers: ["Content-Length": value]))
        #expect(error.message == "The header Content-Length announces a body, but there is none. Remove it.")
    }

    @Test func refusesAContentLengthBesideAnUnknownOne() throws {
        let stream = HTTPBody.stream(AsyncThrowingStream<Data, any Error> { $0.finish() })
        let error = try refusal(of: request(headers: ["Content-Length": "5"], body: stream))
        #expect(error.code == .invalidRequest)
        #expect(error.message.hasPrefix("The header Content-Length is set, but the length of the body is unknown."))
    }

    @Test func letsAContentLengthThroughThatIsTrue() throws {
        let stream = HTTPBody.stream(length: 5, AsyncThrowingStream<Data, any Error> { $0.finish() })
        try RequestValidation.validate(request(headers: ["Content-Length": "5"], body: .text("hello")))
        try RequestValidation.validate(request(headers: ["Content-Length": "5"], body: stream))
        try RequestValidation.validate(request(headers: ["Content-Length": "0"], body: .data(Data())))
        try RequestValidation.validate(request(headers: ["Content-Length": "0"]))
        try RequestValidation.validate(request(body: .text("hello")))
    }

    @Test func showsOnlyAPartOfAHostileValue() throws {
        let long = String(repeating: "9", count: 10_000)
        #expect(try refusal(of: request(headers: ["Content-Length": long], body: .text("a"))).message.count < 200)
        #expect(try refusal(of: request(HTTPMethod("\n" + long))).message.count < 200)
        #expect(try refusal(of: request(headers: [" " + long: "a"])).message.count < 200)
        let url = try #require(URL(string: "ftp://a.example/" + long))
        #expect(try #require(RequestValidation.problem(ofURL: url)).count < 300)
    }
}
