import Foundation
import NetKit
import NetKitTesting
import Testing

/// Tests of the text of curl commands. The integration tests run the commands.
struct CurlCommandTests {
    @Test func aPlainRequestIsAPlainCommand() throws {
        let request = HTTPRequest(.get, "/users?page=1")
        #expect(try request.curlCommand(baseURL: exampleBase) == "curl 'https://api.example.com/v1/users?page=1'")
        #expect(throws: NetKitError.self) { try request.curlCommand() }
    }

    @Test(
        arguments: [
            (HTTPMethod.get, HTTPBody?.none, ""), (.head, nil, " --head"),
            (.post, nil, " --request 'POST' --header 'Content-Length: 0'"),
            (.get, .text("a"), " --request 'GET' --header 'Content-Type: text/plain; charset=utf-8' --data-raw 'a'"),
            (.put, .data(Data()), " --request 'PUT' --header 'Content-Type:' --data-raw ''"),
            (
                .post, .text("@/etc/passwd", contentType: nil),
                " --request 'POST' --header 'Content-Type:' --data-raw '@/etc/passwd'"
            ),
            (
                .post, .text("a'b\n$c", contentType: "a/b"),
                " --request 'POST' --header 'Content-Type: a/b' --data-raw 'a'\\''b\n$c'"
            ),
            ("X'Y", nil, " --request 'X'\\''Y'"),
        ] as [(HTTPMethod, HTTPBody?, String)]
    )
    func theCommandHasMethodAndBody(method: HTTPMethod, body: HTTPBody?, words: String) throws {
        let request = HTTPRequest(method, "https://a.example/x", body: body)
        #expect(try request.curlCommand() == "curl\(words) 'https://a.example/x'")
    }

    @Test func secretsInABodyWithTwoTypesAreMasked() throws {
        let type = "application/x-www-form-urlencoded"
        let body = HTTPBody.text("password=s3cret&a=1", contentType: nil)
        var request = HTTPRequest(.post, "https://a.example/x", body: body)
        for _ in 0..<2 { request.headers.add("Content-Type", type) }
        #expect(try request.curlCommand().contains("'password=***&a=1'"))
    }

    @Test func secretsInTheFieldsOfAFormAreMasked() throws {
        let form = HTTPBody.multipart { form in
            form.field("password", "s3cret")
            form.field("title", "plain")
            form.json("meta", ["access_token": "s3cret", "size": 7])
        }
        let request = HTTPRequest(.post, "https://a.example/x", body: form)
        let masked = try request.curlCommand()
        #expect(!masked.contains("s3cret"))
        #expect(masked.contains("plain"))
        #expect(masked.contains("size"))
        #expect(masked.contains("name=\"password\""))
        #expect(try request.curlCommand(redaction: nil).contains("s3cret"))
    }

    @Test func secretsInThePartsOfAFormAreMasked() throws {
        let inner = Data("--b\r\n\r\ns3cret\r\n--b--\r\n".utf8)
        let form = HTTPBody.multipart { form in
            form.data("fields", Data("plain".utf8), headers: ["X-Token": "s3cret", "X-Plain": "1"])
            form.data("bytes", inner, contentType: "multipart/mixed; boundary=b")
            form.data(
                "form",
                Data("password=s3cret&a=1".utf8),
                headers: ["content-type": "application/x-www-form-urlencoded"]
            )
        }
        let request = HTTPRequest(.post, "https://a.example/x", body: form)
        let masked = try request.curlCommand()
        #expect(!masked.contains("s3cret"))
        #expect(masked.contains("X-Token: ***\r\nX-Plain: 1\r\n\r\n"))
        #expect(masked.contains("'plain'"))
        #expect(masked.contains("password=***&a=1"))
        #expect(try request.curlCommand(redaction: nil).contains("s3cret"))
    }

    @Test func secretsInAFormInAFormAreMasked() throws {
        let inner = MultipartForm { form in
            form.field("password", "s3cret")
            form.field("title", "plain")
        }
        let form = HTTPBody.multipart { $0.add(.init(name: "inner", body: inner.body)) }
        let masked = try HTTPRequest(.post, "https://a.example/x", body: form).curlCommand()
        #expect(!masked.contains("s3cret"))
        #expect(masked.contains("name=\"password\""))
        #expect(masked.contains("'plain'"))
        let secret = HTTPBody.multipart { $0.add(.init(name: "password", body: inner.body)) }
        let hidden = try HTTPRequest(.post, "https://a.example/x", body: secret).curlCommand()
        #expect(hidden.contains("'***'"))
        #expect(!hidden.contains("plain"))
    }

    @Test(arguments: ["application/x-amz-json-1.1", "application/csp-report", "multipart/form-data; boundary=b"])
    func secretsInBytesOfAnyTextTypeAreMasked(type: String) throws {
        let text = type.hasPrefix("multipart/") ? "--b\r\n\r\ns3cret\r\n--b--\r\n" : #"{"password":"s3cret"}"#
        let body = HTTPBody.data(Data(text.utf8), contentType: type)
        let request = HTTPRequest(.post, "https://a.example/x", body: body)
        #expect(try !request.curlCommand().contains("s3cret"))
        #expect(try request.curlCommand(redaction: nil).contains("s3cret"))
    }

    @Test func secretsAreMasked() throws {
        let request = HTTPRequest(
            .post,
            "https://ada:s3cret@a.example/x?token=s3cret",
            headers: ["Authorization": "Bearer s3cret", "Cookie": "a=s3cret", "X-Plain": "1", "X-Empty": " "],
            body: .text(#"{"password":"s3cret"}"#, contentType: "application/json")
        )
        let masked = try request.curlCommand()
        #expect(!masked.contains("s3cret"))
        #expect(masked.contains("--header 'Authorization: ***'"))
        #expect(masked.contains("--header 'X-Plain: 1' --header 'X-Empty;'"))
        #expect(masked.contains(#"--data-raw '{"password":"***"}'"#))
        #expect(masked.hasSuffix("'https://a.example/x?token=***'"))
        let open = try request.curlCommand(redaction: nil)
        #expect(open.contains("'Authorization: Bearer s3cret'"))
        #expect(open.hasSuffix("'https://a.example/x?token=s3cret'"))
        let own = Redaction(headerNames: ["X-Plain"], queryItems: [])
        #expect(try request.curlCommand(redaction: own).contains("'X-Plain: ***'"))
        var login = request
        login.requiresAuth = false
        login.body = .text("s3cret")
        #expect(try login.curlCommand().contains("--data-raw '***'"))
    }

    @Test(arguments: [
        ("https://[::1]/x", true), ("https://a.example/x?ids%5B%5D=1", false), ("https://a.example/{x}", false),
    ])
    func bracketsAreNotExpanded(url: String, isTold: Bool) throws {
        let request = HTTPRequest(.get, RequestPath(raw: url))
        #expect(try request.curlCommand().contains("--globoff") == isTold)
    }

    @Test func filesAndStreamsAreReferenced() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Data("0123456789".utf8), to: "it's.bin")
        let path = file.path(percentEncoded: false)
        func command(_ body: HTTPBody) throws -> String {
            try HTTPRequest(.put, "https://a.example/", headers: ["Content-Type": "a/b"], body: body).curlCommand()
        }
        let quoted = path.replacingOccurrences(of: "'", with: "'\\''")
        let rest = "curl --request 'PUT' --header 'Content-Type: a/b' --data-binary @- 'https://a.example/'"
        #expect(try command(.file(at: file)).contains("--data-binary '@\(quoted)' 'https"))
        #expect(try command(.file(at: file, offset: 2, length: 3)) == "tail -c +3 '\(quoted)' | head -c 3 | \(rest)")
        #expect(try command(.data(Data([0x00, 0x25, 0x2D, 0x61]))) == "printf '\\000\\045\\055a' | \(rest)")
        let stream = AsyncThrowingStream<Data, any Error> { $0.finish() }
        #expect(try command(.stream(stream)) == rest)
        #expect(throws: NetKitError.self) { try command(.file(at: folder.file("none"))) }
    }

    @Test func anInvalidRequestHasNoCommand() {
        let headers: HTTPHeaders = ["X": "a\r\nb"]
        #expect(throws: NetKitError.self) {
            try HTTPRequest(.get, "https://a.example/", headers: headers).curlCommand()
        }
        #expect(throws: NetKitError.self) { try HTTPRequest("A B", "https://a.example/").curlCommand() }
    }
}
