import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of the result of `curlCommand()` with a shell and curl.
@Suite(.needsTheMachine)
struct CurlCommandTests {
    /// Stands in for curl: prints its arguments, each followed by a NUL, after their number, and its input.
    private static let stub = """
        #!/bin/sh
        printf '%s\\0' "$#" "$@"
        case " $* " in *" @- "*) cat ;; esac
        printf '\\0'

        """

    /// One call of the stub.
    private struct Call: Equatable {
        var arguments: [String]
        var input: String
    }

    private static func calls(in output: String) -> [Call] {
        var parts = output.split(separator: "\0", omittingEmptySubsequences: false).map(String.init)[...]
        var calls: [Call] = []
        while let text = parts.popFirst(), let count = Int(text), parts.count > count {
            calls.append(Call(arguments: Array(parts.prefix(count)), input: parts[parts.startIndex + count]))
            parts = parts.dropFirst(count + 1)
        }
        return calls
    }

    /// Runs commands one after the other in one shell.
    private func run(_ commands: [String]) async throws -> [Call] {
        let folder = try TemporaryFolder()
        let stub = try folder.write(Data(Self.stub.utf8), to: "curl")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: stub.path)
        let script = "PATH='\(folder.path)':$PATH\n" + commands.joined(separator: "\n") + "\n"
        let file = try folder.write(Data(script.utf8), to: "script")
        let shell = try #require(SystemTool.find("sh"))
        let (status, output) = try await shell.run([file.path])
        #expect(status == 0, "\(output)")
        return Self.calls(in: output)
    }

    private static let nasty = [
        "", "a", "'", "''", "\"", "$HOME", "$(touch x)", "`id`", "\\", "\\'", "a\nb", "\n", "\r\n", "\t", " ", "  ",
        "-", "-d", "--data", "@", "@/etc/passwd", "@-", "*", "?", "[a]", "{a,b}", "~", "!", "!!", "#", ";", "&&", "|",
        ">x", "<x", "%s", "%n", "\\000", "é", "'\u{301}", "\u{1F600}", "\u{202E}", "a'b'c", "=", "&a=b", "EOF",
        "\u{7F}",
    ]

    /// Texts that combine those, the same every time.
    private static let texts: [String] = {
        let random = RandomSource.seeded(7)
        return nasty
            + (0..<150).map { _ in
                (0..<Int(random.next() % 6 + 1)).map { _ in nasty[Int(random.next() % UInt64(nasty.count))] }.joined()
            }
    }()

    @Test func aShellGivesCurlWhatWasMeant() async throws {
        var wanted: [Call] = []
        var commands: [String] = []
        for text in Self.texts {
            let header = text.filter { !$0.isNewline && $0 != "\t" && $0 != "\u{7F}" }
            let url = try #require(
                URL(string: "https://a.example/")?.appending(queryItems: [URLQueryItem(name: "q", value: text)])
            )
            let request = HTTPRequest(
                .post,
                url,
                headers: ["X": "." + header, "Content-Type": "text/plain"],
                body: .data(Data(text.utf8))
            )
            commands.append(try request.curlCommand())
            let shown = url.absoluteString
            wanted.append(
                Call(
                    arguments: (shown.contains { "[]{}".contains($0) } ? ["--globoff"] : []) + [
                        "--request", "POST", "--header", "X: ." + header, "--header", "Content-Type: text/plain",
                        "--data-raw", text, shown,
                    ],
                    input: ""
                )
            )
        }
        let calls = try await run(commands)
        #expect(calls.count == wanted.count)
        for (call, wanted) in zip(calls, wanted) { #expect(call == wanted) }
    }

    @Test func bodiesThatAreNoTextComeOverStandardInput() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Data("0123456789".utf8), to: "it's -a file")
        let long = String(repeating: "$'\"\n", count: 50_000)
        let bodies: [(HTTPBody, String)] = [
            (.data(Data("%d\u{1}\\-'$".utf8) + Data([0xC3])), "%d\u{1}\\-'$\u{FFFD}"),
            (.text(long), long), (.file(at: file, offset: 2, length: 3), "234"), (.file(at: file, offset: 7), "789"),
        ]
        let commands = try bodies.map { try HTTPRequest(.put, "https://a.example/", body: $0.0).curlCommand() }
        #expect(try await run(commands).map(\.input) == bodies.map(\.1))
    }

    @Test(.needs(.curl))
    func curlSendsWhatNetKitSends() async throws {
        let server = try MockServer()
        server.on(nil, "/**", .text("ok"))
        let folder = try TemporaryFolder()
        let file = try folder.write(Data((0...255).map { UInt8($0) }), to: "all bytes")
        let form = HTTPBody.multipart {
            $0.field("title", "it's")
            $0.file("photo", at: file)
        }
        let bodies: [HTTPBody?] = [
            nil, .text("a'b\n$c"), .data(Data()), .data(Data((0...255).map { UInt8($0) })), .file(at: file),
            .file(at: file, offset: 250), .text("@not a file"), .text(String(repeating: "ä", count: 80_000)), form,
        ]
        let client = HTTPClient(baseURL: server.baseURL, interceptors: [])
        let shell = try #require(SystemTool.find("sh"))
        for body in bodies {
            let request = HTTPRequest(
                body == nil ? .get : .put,
                "/a b/\(raw: "x[1]/../y")?ids[]=1&q={a,b}",
                headers: ["X-Quote": "it's \"$HOME\"", "Authorization": "Bearer a"],
                body: body
            )
            server.removeAllRequests()
            _ = try await client.send(request).body.collect(upTo: 10)
            let command = try request.curlCommand(baseURL: server.baseURL, redaction: nil)
            let script = try folder.write(Data("export no_proxy='*'\n\(command)\n".utf8), to: "script")
            let (status, output) = try await shell.run([script.path])
            #expect(status == 0, "\(output)")
            #expect(server.requests.count == 2, "\(command)")
            guard let ours = server.requests.first, let theirs = server.requests.last else { continue }
            #expect(theirs.method == ours.method)
            #expect(theirs.target == ours.target)
            #expect(theirs.body == ours.body)
            for name in ["X-Quote", "Authorization", "Content-Type", "Content-Length"] {
                #expect(theirs.headers.values(of: name) == ours.headers.values(of: name), "\(name)")
            }
        }
    }
}
