import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of `netkit tour` from its beginning to its end, which takes about three seconds.
@Suite(.needsTheMachine, .needsCommand)
struct TourCommandTests {
    @Test func showsEverythingAndLeavesWhatThereIsToLookAt() async throws {
        let folder = try TemporaryFolder()
        let place = folder.file("tour")
        let result = try await BuiltCommand.run(["tour", place.path(percentEncoded: false)])
        #expect(result.status == 0)
        let expected: [Regex<Substring>] = [
            /GET \/articles\/7 is an Article: number 7, "The Last Packet"/, /unread: the key is missing/,
            /attempt 1 -> 503 Service Unavailable, again in [\d.]+m?s/, /attempt 3 -> 200 OK/,
            /\d+ requests were rejected with 401\n  1 refresh, and 10 callers have their response/,
            /100 % \[=+\] +3\.0 MB/,
            /6000000 bytes were saved; after the break, only bytes=\d+- was requested/,
            /GET \/prices  200 OK  NetKit; hit; ttl=\d+/, /\/prices, \/stock, \/stock \(still the same\?\)\n/,
            /order 3 is safe: [-\da-f]+\n  a change of a note is safe\n  kill -9\n/, /4 requests were kept/,
            /conflict in lane notes\n/, /The server has 3 orders, and the note is \{"text":"milk, bread, eggs"\}\n/,
            /\d+ calls, \d+ % succeeded, 2 retries\n/,
        ]
        var rest = result.output[...]
        for part in expected {
            let match = try #require(rest.firstMatch(of: part), "\(result.output)")
            rest = rest[match.range.upperBound...]
        }
        try expectRecording(of: result.output)
        let page = try String(contentsOf: place.appending(path: "timeline.html"), encoding: .utf8)
        #expect(page.contains("GET /flaky"))
        // A caller that arrives while the token is being renewed waits for it instead of being refused.
        let refused = try #require(result.output.firstMatch(of: /(\d+) requests were rejected/).flatMap { Int($0.1) })
        #expect(page.matches(of: #/class="bar bad"/#).count >= refused + 2)
        #expect(page.matches(of: #/title="waits /#).count == 2)
        let metrics = try String(contentsOf: place.appending(path: "metrics.txt"), encoding: .utf8)
        #expect(metrics.contains("netkit_client_retries_total 2\n"))
        let har = try JSONValue(parsing: Data(contentsOf: place.appending(path: "tour.har")))
        #expect(har["log"]?["entries"]?.array?.count ?? 0 >= 20 + refused)
        let left = try FileManager.default.contentsOfDirectory(atPath: place.path(percentEncoded: false))
        #expect(left.sorted() == ["metrics.txt", "timeline.html", "tour.har"])
    }

    /// The picture in the README shows the output of the tour, except for times, sizes and random names.
    private func expectRecording(of output: String) throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Sources/NetKit/NetKit.docc/Resources/tour.svg")
        let picture = try String(contentsOf: file, encoding: .utf8)
        let lines = picture.matches(of: #/class="(?:title|text)"[^>]*>([^<]*)</#).map { match in
            String(match.1).replacing("&gt;", with: ">").replacing("&quot;", with: "\"").replacing("&#x27;", with: "'")
        }
        let said = Set(output.split(separator: "\n").map { Self.masked(String($0)) })
        #expect(lines.count > 20)
        for line in lines { #expect(said.contains(Self.masked(line)), "draw it again with .ci/recording.py") }
    }

    private static func masked(_ line: String) -> String {
        line.replacing(#/[0-9a-f]{8}-[-0-9a-f]+/#, with: "ID").replacing(
            #/[0-9.]+( ?(ms|s|MB\/s|MB))?( [0-9.]+ms)? */#,
            with: "N"
        )
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self")))
    func aFolderThatCannotBeMadeIsNamed() async throws {
        let result = try await BuiltCommand.run(["tour", "/proc/netkit"])
        #expect(result.status == 1)
        #expect(result.notes.hasPrefix("netkit tour: Could not create the folder \"/proc/netkit"))
        #expect(result.notes.hasSuffix("\": No such file or directory. [file, not sent]\n"))
    }

    @Test func aWorkingDirectoryThatWasRemovedIsNamed() async throws {
        let command: URL = try #require(BuiltCommand.executable)
        let script = "mkdir gone && cd gone && rmdir ../gone && exec \"$0\" tour"
        let result = try await BuiltCommand.run(URL(filePath: "/bin/sh"), ["-c", script, command.path()])
        #expect(result.status == 1)
        let advice = "the working directory was removed. Change to another one, or give an absolute path."
        let problem = "Could not find \"netkit-tour\": \(advice) [file, not sent]"
        #expect(result.notes == "netkit tour: \(problem)\n")
    }

    @Test func aFileThatCannotBeWrittenIsNamed() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("photo.bin")
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        let result = try await BuiltCommand.run(["tour", folder.path])
        #expect(result.status == 1)
        let problem = "Could not write \"\(file.path(percentEncoded: false))\": Is a directory. [file, not sent]"
        #expect(result.notes == "netkit tour: \(problem)\n")
    }

    @Test(arguments: [
        (["tour", "--fast"], "there is no option \"--fast\"."),
        (["tour", "a", "b"], "unexpected argument \"b\"."),
    ])
    func wrongArgumentsAreAUsageError(_ arguments: [String], _ message: String) async throws {
        let result = try await BuiltCommand.run(arguments)
        #expect(result.status == 2)
        #expect(result.notes.contains(message))
    }
}
