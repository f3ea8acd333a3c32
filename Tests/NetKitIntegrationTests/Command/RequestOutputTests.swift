import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of the files that `netkit request` writes, as a process of its own.
@Suite(.needsTheMachine, .needsCommand)
struct RequestOutputTests {
    private let server: MockServer

    init() throws {
        server = try MockServer()
        server.on(.get, "/", .text("ok"))
    }

    private func request(_ path: String, _ arguments: String...) async throws -> BuiltCommand.Result {
        try await BuiltCommand.run(["request", server.url(path).absoluteString] + arguments)
    }

    @Test func theBodyCanBeWrittenToAFile() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("body.txt")
        let result = try await request("/", "-o", file.path(percentEncoded: false))
        #expect(result.output == "")
        #expect(try String(contentsOf: file, encoding: .utf8) == "ok")
    }

    @Test func theExchangesCanBeKept() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("kept.har")
        server.on(.get, "/moved", .status(.found).header("Location", "/?token=hidden"))
        let result = try await request("/moved", "--har", file.path(percentEncoded: false))
        #expect(result.status == 0)
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(!text.contains("hidden"))
        let entries = try #require(try JSONValue(parsing: Data(text.utf8))["log"]?["entries"])
        #expect(entries[0]?["response"]?["status"]?.int == 302)
        #expect(entries[1]?["response"]?["content"]?["text"]?.string == "ok")
    }

    /// A rename would replace the pipe with a file.
    @Test(arguments: ["-o", "--har"])
    func aPipeIsWrittenToAndNotReplaced(_ option: String) async throws {
        let folder = try TemporaryFolder()
        let pipe = folder.file("pipe").path(percentEncoded: false)
        #expect(mkfifo(pipe, 0o600) == 0)
        // A reader that is there already, so that neither side waits for the other.
        let reader = open(pipe, O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        let result = try await request("/", option, pipe)
        #expect(result.status == 0, "\(result.notes)")
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(reader, &bytes, bytes.count)
        let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        #expect(option == "-o" ? text == "ok" : text.hasPrefix("{\"log\""))
        var info = stat()
        #expect(stat(pipe, &info) == 0 && info.st_mode & S_IFMT == S_IFIFO)
    }

    @Test func aRecordingIsForItsOwner() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("calls.har").path(percentEncoded: false)
        #expect(try await request("/", "--har", path).status == 0)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test(arguments: [
        "request URL -d @file", "request URL --bearer @file", "request URL -F a=@file", "request URL -o file",
        "request URL --har file", "request URL --cache file", "download URL file", "queue list file",
    ])
    func aWorkingDirectoryThatWasRemovedIsNamed(_ line: String) async throws {
        let command = try #require(BuiltCommand.executable)
        let arguments = line.replacing("URL", with: server.baseURL.absoluteString)
        let script = "mkdir gone && cd gone && rmdir ../gone && exec \"$0\" \(arguments)"
        let result = try await BuiltCommand.run(
            URL(filePath: "/bin/sh"),
            ["-c", script, command.path(percentEncoded: false)]
        )
        #expect(result.status == 1)
        let advice = "the working directory was removed. Change to another one, or give an absolute path."
        #expect(result.notes.hasSuffix(": Could not find \"file\": \(advice) [file, not sent]\n"), "\(result.notes)")
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: [
        "-o f --har ./f", "-o - --har /dev/stdout", "--har -", "--json --har -", "-o old --har new", "-o d/f --har e/f",
    ])
    func twoResultsDoNotGoIntoOneFile(_ options: String) async throws {
        let command = try #require(BuiltCommand.executable)
        let script = ": >old; ln -s old new; mkdir d; ln -s d e; exec \"$0\" request \"$1\" \(options)"
        let result = try await BuiltCommand.run(
            URL(filePath: "/bin/sh"),
            ["-c", script, command.path(percentEncoded: false), server.baseURL.absoluteString]
        )
        #expect(result.status == 2)
        #expect(result.notes.contains("--har would write to the file that gets the response. Name another file."))
        #expect(server.requests.isEmpty)
        #expect(try await request("/", "-o", "/dev/null", "--har", "/dev/null").status == 0)
    }

    @Test func anArgumentThatIsNoTextIsRefused() async throws {
        let command = try #require(BuiltCommand.executable)
        let script = "exec \"$0\" request \"$1\" -d \"$(printf 'a\\377')\""
        let result = try await BuiltCommand.run(
            URL(filePath: "/bin/sh"),
            ["-c", script, command.path(percentEncoded: false), server.baseURL.absoluteString]
        )
        #expect(result.status == 2)
        #expect(result.notes.hasPrefix("netkit: an argument is not UTF-8.\n"))
        #expect(server.requests.isEmpty)
    }

    @Test func theOutputCanBeNamedLikeAFile() async throws {
        for name in ["/dev/stdout", "-"] {
            let result = try await request("/", "-o", name)
            #expect(result.status == 0, "\(result.notes)")
            #expect(result.output == "ok")
        }
    }

    @Test func aDescriptorIsWrittenToWhereItIs() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Data("old\n".utf8), to: "log")
        let command = try #require(BuiltCommand.executable)
        let result = try await BuiltCommand.run(
            URL(fileURLWithPath: "/bin/sh"),
            [
                "-c", "exec \"$0\" request \"$1\" -o /dev/fd/3 3>>\"$2\"", command.path(percentEncoded: false),
                server.baseURL.absoluteString, file.path(percentEncoded: false),
            ]
        )
        #expect(result.status == 0, "\(result.notes)")
        #expect(try String(contentsOf: file, encoding: .utf8) == "old\nok")
    }

    @Test(arguments: ["/dev/fd/99999999", "/dev/fd/-1", "/dev/fd/x", "/dev/fd/"])
    func aDescriptorThatIsNotOpenIsAFailure(_ path: String) async throws {
        let result = try await request("/", "-o", path)
        #expect(result.status == 1)
        #expect(
            result.notes.contains("Could not write to \"\(path)\": the command was started without this descriptor.")
        )
    }

    @Test(.enabled(if: FileManager.default.isWritableFile(atPath: "/dev/shm")))
    func aFileInTheFolderOfDevicesIsAFile() async throws {
        let path = "/dev/shm/netkit-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        for _ in 0..<2 {
            let result = try await request("/", "-o", path)
            #expect(result.status == 0, "\(result.notes)")
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("ok".utf8))
            try Data("a longer text".utf8).write(to: URL(fileURLWithPath: path))
        }
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func anOutputThatTakesNothingIsAFailure() async throws {
        let result = try await BuiltCommand.run(["request", server.baseURL.absoluteString], output: "/dev/full")
        #expect(result.status == 1)
        #expect(result.notes.contains("netkit: Could not write to \"/dev/stdout\": No space left on device."))
        let saved = try await request("/", "-o", "/dev/full")
        #expect(saved.status == 1)
        #expect(saved.notes.contains("Could not write to \"/dev/full\": No space left on device."))
    }

    /// The request cannot be sent again only to see what it has returned.
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func aRecordingThatCannotBeWrittenDoesNotHideTheResponse() async throws {
        let result = try await request("/", "--json", "--har", "/dev/full")
        #expect(result.status == 1)
        #expect(result.notes.contains("Could not write to \"/dev/full\": No space left on device."))
        let report = try JSONDecoder().decode(JSONValue.self, from: Data(result.output.utf8))
        #expect(report["text"]?.string == "ok")
    }
}
