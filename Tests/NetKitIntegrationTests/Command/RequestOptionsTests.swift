import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of the options of `netkit request`, as a process of its own.
@Suite(.needsTheMachine, .needsCommand)
struct RequestOptionsTests {
    private let server: MockServer

    init() throws {
        server = try MockServer()
        server.on(.get, "/", .text("ok"))
        server.on(.post, "/", .text("ok"))
    }

    private func request(_ path: String, _ arguments: String...) async throws -> BuiltCommand.Result {
        try await BuiltCommand.run(["request", server.url(path).absoluteString] + arguments)
    }

    @Test func fieldsAndFilesAreSentAsAForm() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Data("from disk".utf8), to: "note.txt")
        let result = try await request("/", "-F", "name=a=b", "--form", "file=@\(file.path())")
        #expect(result.status == 0)
        let seen = try #require(server.requests.first)
        #expect(seen.method == .post)
        #expect(seen.headers["Content-Type"]?.hasPrefix("multipart/form-data; boundary=") == true)
        let body = String(decoding: seen.body, as: UTF8.self)
        #expect(body.contains("name=\"name\"\r\n\r\na=b\r\n"))
        #expect(body.contains("name=\"file\"; filename=\"note.txt\"\r\n"))
        #expect(body.contains("\r\n\r\nfrom disk\r\n"))
    }

    @Test func jsonIsSentAsItIs() async throws {
        let result = try await request("/", "--data-json", "{\"b\": 1, \"a\": [true]}")
        #expect(result.status == 0)
        let seen = try #require(server.requests.first)
        #expect(seen.headers["Content-Type"] == "application/json")
        #expect(String(decoding: seen.body, as: UTF8.self) == "{\"b\": 1, \"a\": [true]}")
    }

    /// The second attempt needs the content again, which a pipe gives only once.
    @Test(arguments: ["-d @-", "--data-json @-", "-d @/dev/stdin", "-d @pipe"])
    func aPipeIsSent(_ option: String) async throws {
        server.on(.post, "/late", .status(.serviceUnavailable).header("Retry-After", "0"), .text("ok"))
        let command = try #require(BuiltCommand.executable)
        let feed = option.hasSuffix("pipe") ? "mkfifo pipe; printf '[1]' >pipe & :" : "printf '[1]'"
        let result = try await BuiltCommand.run(
            URL(fileURLWithPath: "/bin/sh"),
            [
                "-c", "\(feed) | \"$0\" request \"$1\" Idempotency-Key:a \(option)",
                command.path(percentEncoded: false), server.url("/late").absoluteString,
            ]
        )
        #expect(result.status == 0, "\(result.notes)")
        #expect(server.requests.map { String(decoding: $0.body, as: UTF8.self) } == ["[1]", "[1]"])
    }

    @Test(arguments: [("-", "stdin"), ("/dev/stdin", "stdin"), ("pipe", "pipe"), ("/dev/null", "null")])
    func aPartOfAFormCanBeAStream(_ path: String, _ fileName: String) async throws {
        let command = try #require(BuiltCommand.executable)
        let feed = path == "pipe" ? "mkfifo pipe; printf 'piped' >pipe & :" : "printf 'piped'"
        let result = try await BuiltCommand.run(
            URL(fileURLWithPath: "/bin/sh"),
            [
                "-c", "\(feed) | \"$0\" request \"$1\" -F a=b -F c=@\(path)", command.path(percentEncoded: false),
                server.baseURL.absoluteString,
            ]
        )
        #expect(result.status == 0, "\(result.notes)")
        let body = server.requests.first.map { String(decoding: $0.body, as: UTF8.self) }
        let content = path == "/dev/null" ? "" : "piped"
        #expect(body?.contains("name=\"c\"; filename=\"\(fileName)\"\r\n") == true)
        #expect(body?.contains("\r\n\r\n\(content)\r\n--") == true)
    }

    /// The second part would be empty.
    @Test(arguments: ["-F a=@/dev/fd/0 -F b=@-", "--bearer @/proc/self/fd/0 -d @/dev/stdin"])
    func aPipeIsNotReadTwiceByDifferentNames(_ options: String) async throws {
        let command = try #require(BuiltCommand.executable)
        let result = try await BuiltCommand.run(
            URL(fileURLWithPath: "/bin/sh"),
            [
                "-c", "printf piped | \"$0\" request \"$1\" \(options)", command.path(percentEncoded: false),
                server.baseURL.absoluteString,
            ]
        )
        #expect(result.status == 2, "\(result.notes)")
        #expect(server.requests.isEmpty)
    }

    /// Users of curl write `-XPUT`.
    @Test func aShortOptionCanHaveItsValueAttached() async throws {
        server.on(.put, "/", .text("ok"))
        let result = try await request("/", "-kvXPUT", "-HX-A: 1", "-da=b", "-uada:x")
        #expect(result.status == 0, "\(result.notes)")
        #expect(result.notes.contains("> PUT \(server.baseURL.absoluteString)"))
        let seen = try #require(server.requests.first)
        #expect(seen.headers["X-A"] == "1" && seen.headers["Authorization"] == "Basic YWRhOng=")
        #expect(String(decoding: seen.body, as: UTF8.self) == "a=b")
    }

    @Test(arguments: [(0, 1), (1, 2), (2, 3)])
    func aCallIsRetriedAsOftenAsAsked(_ retries: Int, _ expected: Int) async throws {
        server.on(.get, "/busy", .text("no", status: .serviceUnavailable).header("Retry-After", "0"))
        let result = try await request("/busy", "--retry", "\(retries)")
        #expect(result.status == 5)
        #expect(server.requests.count == expected)
    }

    @Test func theSecondResponseComesFromTheCache() async throws {
        server.on(.get, "/kept", .text("kept").header("Cache-Control", "max-age=60"))
        let folder = try TemporaryFolder()
        let cache = folder.file("cache").path()
        for isStored in [false, true] {
            let result = try await request("/kept", "--cache", cache, "--http2")
            #expect(result.output == "kept")
            // No server and no exchange gave the second one.
            #expect(result.notes.contains("instead of HTTP/2") == !isStored)
            #expect(result.notes.hasSuffix("\n4 bytes\n") == isStored, "\(result.notes)")
        }
        #expect(server.requests.count == 1)
    }

    @Test func theAddressOfAHostCanBeSet() async throws {
        let port = try #require(server.baseURL.port)
        let url = "http://nowhere.example:\(port)/"
        let result = try await BuiltCommand.run(["request", url, "--resolve", "nowhere.example=127.0.0.1"])
        #expect(result.output == "ok")
        #expect(server.requests.first?.headers["Host"] == "nowhere.example:\(port)")
    }

    @Test func aSocketThatIsNotThereIsNamed() async throws {
        let result = try await request("/", "--unix-socket", "nowhere.sock", "--retry", "0")
        #expect(result.status == 1)
        #expect(result.notes.contains("No connection could be made (socket \"nowhere.sock\": "), "\(result.notes)")
    }

    @Test(arguments: ["curl", "urlsession"])
    func theTransportCanBeChosen(_ name: String) async throws {
        let result = try await request("/", "--transport", name, "--explain")
        #expect(result.output == "ok")
        #expect(result.notes.lowercased().contains(name))
    }

    @Test func theVersionThatIsUsedInsteadOfHTTP2IsReported() async throws {
        let result = try await request("/", "--http2")
        #expect(result.status == 0)
        #expect(result.notes.contains("The server used HTTP/1.1 instead of HTTP/2, which requires https."))
    }

    @Test func eventsAndTimingsCanBeShown() async throws {
        server.on(
            .get,
            "/late",
            .text("no", status: .serviceUnavailable).header("Retry-After", "0"),
            .text("at last")
        )
        let result = try await request("/late", "-v", "--transport", "curl")
        #expect(result.output == "at last")
        #expect(result.notes.contains(/\n\+[\d.]+m?s  attempt ended attempt 1 -> 503/))
        #expect(result.notes.contains(/\n\+[\d.]+m?s  retry attempt 1 -> 503 .*again in/))
        #expect(result.notes.contains(/\n\+[\d.]+m?s  call ended .*-> 200/))
        #expect(result.notes.contains(/\nwait    \| *=+ *\| [\d.]+ms\n/))
        #expect(result.notes.contains(/\nbody    \| *=+ *\| [\d.]+ms\n/))
        // Without a terminal, there are no colors by default.
        #expect(!result.notes.contains("\u{1B}"))
    }

    @Test func aTraceIsSentAndShown() async throws {
        let result = try await request("/", "--trace")
        let parent = try #require(server.requests.first?.headers["traceparent"])
        let parts = parent.split(separator: "-")
        try #require(parts.count == 4)
        #expect(result.notes.contains("span \(parts[2]) of trace \(parts[1]), part of "))
        #expect(result.notes.components(separatedBy: "of trace \(parts[1])").count == 3)
    }

    @Test func theResponseCanBeOneObject() async throws {
        server.on(.get, "/moved", .status(.found).header("Location", "/"))
        let result = try await request("/moved", "--json")
        #expect(result.status == 0)
        let report = try JSONDecoder().decode(JSONValue.self, from: Data(result.output.utf8))
        #expect(report["status"]?.int == 200)
        #expect(report["text"]?.string == "ok")
        #expect(report["redirects"]?[0]?["status"]?.int == 302)
        #expect(report["attempts"]?[1]?["milliseconds"]?.double != nil)
        #expect(result.notes == "")
    }

    @Test func aFailureIsAnObjectToo() async throws {
        server.on(.get, "/cut", .text("a long text").closing(at: .inBody(after: 3)))
        let result = try await request("/cut", "--json", "--retry", "0")
        #expect(result.status == 1)
        let report = try JSONDecoder().decode(JSONValue.self, from: Data(result.output.utf8))
        #expect(report["error"]?["code"]?.string == "connectionLost")
        #expect(report["error"]?["outcome"]?.string == "answered")
        #expect(result.notes == "")
    }

    @Test(arguments: [
        ("--data-json", "@nowhere", "file"), ("--bearer", "@nowhere", "file"),
        ("--cacert", "nowhere", "invalidConfiguration"),
    ])
    func aFailureBeforeTheCallIsAnObjectToo(_ option: String, _ value: String, _ code: String) async throws {
        let result = try await request("/", "--json", option, value)
        #expect(result.status == 1)
        let report = try JSONDecoder().decode(JSONValue.self, from: Data(result.output.utf8))
        #expect(report["error"]?["code"]?.string == code)
        #expect(report["error"]?["outcome"]?.string == "not sent")
        #expect(result.notes == "")
    }

    @Test func itemsBecomeJSONQueryAndHeaders() async throws {
        server.on(.put, "/", .text("ok"))
        let address = server.url("/").absoluteString
        let result = try await BuiltCommand.run([
            "request", "PUT", address, "name=Ada=1", "age:=36", "tags:=[1, null]", "q==a b", "X-A:1",
        ])
        #expect(result.status == 0)
        let seen = try #require(server.requests.first)
        #expect(seen.method == .put)
        #expect(seen.query("q") == "a b")
        #expect(seen.headers["X-A"] == "1")
        #expect(seen.headers["Content-Type"] == "application/json")
        #expect(
            try JSONValue(parsing: seen.body)
                == .object(["name": .string("Ada=1"), "age": .integer(36), "tags": .array([.integer(1), .null])])
        )
    }

    @Test func theQueryOfTheAddressStaysAsItIs() async throws {
        server.on(.get, "/x", .text("ok"))
        let address = server.url("/x").absoluteString.replacing("http://", with: "")
        let result = try await BuiltCommand.run([
            "request", "\(address)?sig=a%2Bb&filter[name]=c%20d&to=http://e", "q==1+1",
        ])
        #expect(result.status == 0)
        #expect(
            server.requests.first?.target == "/x?sig=a%2Bb&filter%5Bname%5D=c%20d&to=http://e&q=1%2B1",
            "\(result.notes)"
        )
    }

    @Test func aNumberIsSentWithAllOfItsDigits() async throws {
        let result = try await request("/", "id:=12345678901234567890", "name=\"/é", "rate:=1.10")
        #expect(result.status == 0)
        let body = server.requests.first.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(body == #"{"id":12345678901234567890,"name":"\"/é","rate":1.10}"#)
    }

    @Test(arguments: [
        (["-u", "ada:secret"], "Basic YWRhOnNlY3JldA=="), (["--bearer", "secret"], "Bearer secret"),
        (["--bearer=secret"], "Bearer secret"),
    ])
    func credentialsAreSentAndNotShown(_ arguments: [String], _ header: String) async throws {
        let result = try await BuiltCommand.run(["request", server.baseURL.absoluteString, "-v"] + arguments)
        #expect(result.status == 0)
        #expect(server.requests.first?.headers["Authorization"] == header)
        #expect(result.notes.contains("> GET \(server.baseURL.absoluteString)"))
        #expect(result.notes.contains("> Authorization: ***"))
        #expect(!result.notes.contains("secret"))
    }

    @Test func aTokenCanBeInAFile() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Data("secret\n".utf8), to: "token")
        let result = try await request("/", "--bearer", "@\(file.path(percentEncoded: false))")
        #expect(result.status == 0, "\(result.notes)")
        #expect(server.requests.first?.headers["Authorization"] == "Bearer secret")
    }

    /// A field came from the server, now or earlier, and must not command the terminal.
    @Test func aFieldIsShownAsText() async throws {
        server.on(.get, "/odd", .text("ok").header("X-Note", "a\u{9B}31mb\u{202E}c"))
        let result = try await request("/odd", "-v", "-H", "X-Mark: a\u{9B}31mb")
        #expect(result.notes.contains("> X-Mark: a\u{FFFD}31mb\n"), "\(result.notes)")
        #expect(result.notes.lowercased().contains("x-note: a\u{FFFD}31mb\u{FFFD}c\n"), "\(result.notes)")
    }

    @Test func theHeadCanBeRequestedAlone() async throws {
        server.on(.head, "/", .text("ok"))
        let head = try await request("/", "-I")
        #expect(head.status == 0 && head.output == "")
        #expect(server.requests.last?.method == .head)
    }

    @Test func aFaultInJSONIsPointedAt() async throws {
        let result = try await request("/", "--data-json", "{\n  \"a\": 1,\n  \"b\" 2\n}")
        #expect(result.status == 2)
        #expect(
            result.notes.hasPrefix(
                "netkit request: the value of --data-json is not JSON.\n    \"b\" 2\n        ^ line 3, column 7\nUsage: "
            )
        )
        let other = try await request("/", "--data-json", "{\r\n  \"a\": 1,\r\n  \"b\" 2\r\n}")
        #expect(other.notes.contains("\n    \"b\" 2\n        ^ line 3, column 7\nUsage: "))
    }

    @Test(arguments: ["[1,2,]", "{\"a\": [\"]\", {\"b\": 1 ,\n}]}"])
    func aCommaAfterTheLastElementIsNotJSON(_ value: String) async throws {
        let item = try await request("/", "x:=\(value)")
        #expect(item.status == 2)
        #expect(item.notes.contains("the value of x:= is not JSON.\n  \(value.prefix { $0 != "\n" })\n"))
        #expect(item.notes.contains("^ line 1, column \(value.hasPrefix("[") ? 5 : 21)\n"))
        #expect(try await request("/", "--data-json", value).status == 2)
        #expect(server.requests.isEmpty)
        #expect(try await request("/", "x:=[\",]\", \"\\\",}\", {}, []]").status == 0)
    }

    @Test func aProxyIsUsed() async throws {
        server.on(.get, "**", .text("from the proxy"))
        let result = try await BuiltCommand.run([
            "request", "http://nowhere.example/", "--proxy", server.baseURL.absoluteString,
        ])
        #expect(result.output == "from the proxy")
    }

    @Test func anUnverifiedCertificateIsAWarning() async throws {
        let result = try await request("/", "-k")
        #expect(result.status == 0)
        #expect(result.notes.hasPrefix("WARNING: the certificate is not verified."))
    }

    @Test func aFileOfJSONThatIsNotThereIsNamed() async throws {
        let missing = try TemporaryFolder().file("missing.json").path(percentEncoded: false)
        let result = try await request("/", "--data-json", "@\(missing)")
        #expect(result.status == 1)
        let problem = "Could not read \"\(missing)\": No such file or directory."
        #expect(result.notes == "netkit request: \(problem) [file, not sent]\n")
    }

    @Test(arguments: [
        (["request", "ftp://a.example/"], "\"ftp://a.example/\" is not a URL of http or https."),
        (["request", "http:///"], "\"http:///\" is not a URL of http or https."),
        (["request", "a.example:99999", "a==b"], "The port"), (["request", "a.example:99999"], "The port"),
        (["request", "http://ada:x@a.example/"], "a user and a password in the URL are not sent."),
        (["download", "ada@a.example", "/tmp"], "a user and a password in the URL are not sent."),
        (["download", "ftp://a.example/"], "\"ftp://a.example/\" is not a URL of http or https."),
        (["download", "a.example:99999", "/tmp"], "The port"), (["download", "a.example", "-H", "X A: 1"], "X A"),
    ])
    func aRequestThatCannotBeSentIsAWrongArgument(_ arguments: [String], _ message: String) async throws {
        let result = try await BuiltCommand.run(arguments)
        #expect(result.status == 2)
        #expect(result.output == "")
        #expect(result.notes.hasPrefix("netkit \(arguments[0]): "))
        #expect(result.notes.contains(message), "\(result.notes)")
        #expect(result.notes.contains("Usage: netkit \(arguments[0])"))
    }

    @Test(arguments: [
        (["--data-json", "{"], "the value of --data-json is not JSON."),
        (["-F", "x"], "a field is written \"name=value\" or \"name=@file\", and one is not."),
        (["-d", "a", "-F", "b=c"], "use only one of --data, --data-json and --form, or items of a JSON body."),
        (["--retry", "1.5"], "--retry needs a number of retries from 0 to 1000, not \"1.5\"."),
        (["--transport", "smoke"], "--transport must be curl or urlsession, not \"smoke\"."),
        (["--resolve", "x"], "--resolve is written \"host=address\", without a port, not \"x\"."),
        (["--resolve", "a:80=127.0.0.1"], "without a port, not \"a:80=127.0.0.1\"."),
        (["--resolve", "a=b"], "The address of a is \"b\". Name IP addresses, separated by commas."),
        (["--transport", "urlsession", "--http1.1"], "require --transport curl."),
        (["--key", "x.pem"], "--key needs --cert."),
        (["-u", "a:b", "--bearer", "c"], "use only one of --user, --bearer"),
        (["-u", "a:b\r"], "-u needs \"user:password\" without control characters."),
        (["-u", "a:b", "-H", "authorization: c"], "use only one of --user, --bearer"),
        (["--bearer", "a", "Authorization:b"], "use only one of --user, --bearer"),
        (["--proxy", "x"], "--proxy needs a URL such as http://host:port."),
        (["--proxy", "ftp://127.0.0.1"], "--proxy needs a URL such as http://host:port."),
        (["--proxy", "http://a%0A@127.0.0.1"], "its user name or password contains a control character"),
        (["--unix-socket", String(repeating: "a", count: 108)], "is longer than 107 bytes"),
        (["-H", "X A: 1"], "X A"), (["-X", "GE T"], "GE T"), (["-I", "-d", "a"], "A HEAD request cannot have a body."),
        (["--timeout", "1e-30"], "timeout"), (["--timeout", "1e9"], "above 0, up to 999999999, not \"1e9\"."),
        (["--json", "-H", "X A: 1"], "X A"),
        (["extra"], "unexpected argument \"extra\"."),
        (["x:=tru"], "the value of x:= is not JSON."), (["--json", "-o", "x"], "use only one of --json and --output."),
        (["--trace=1"], "--trace takes no value."), (["-v-"], "-v takes no value."),
        (["-v-json"], "-v takes no value."),
        (["-vz"], "there is no option \"-z\"."), (["--cache"], "--cache needs a value."),
        (["--cache", ""], "--cache needs a value."), (["--output="], "--output needs a value."),
        (["--bearer", ""], "the token of --bearer is empty."), (["--bearer", "@-"], "the token of --bearer is empty."),
        (["--bearer", "@-", "-d", "@/dev/stdin"], "standard input can be read only once"),
        (["-F", "a=@-", "-F", "b=@-"], "standard input can be read only once"),
        (["-F", "a=@/dev/stdin", "--bearer", "@-"], "standard input can be read only once"),
        (["-d", "@"], "the path of a file or folder is empty."),
    ])
    func invalidArgumentsAreReported(_ arguments: [String], _ message: String) async throws {
        let result = try await BuiltCommand.run(["request", server.baseURL.absoluteString] + arguments)
        #expect(result.status == 2)
        #expect(result.output == "")
        #expect(result.notes.contains(message))
        #expect(server.requests.isEmpty)
    }
}
