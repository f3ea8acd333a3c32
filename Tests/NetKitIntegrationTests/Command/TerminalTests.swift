#if canImport(Glibc)
    import Foundation
    import Glibc
    import NetKit
    import NetKitTestSupport
    import NetKitTesting
    import Testing

    /// Tests of the command on a terminal, and after an interrupt.
    @Suite(.needsTheMachine, .needsCommand)
    struct TerminalTests {
        /// A running command, whose results and notes are collected.
        private struct RunningCommand {
            let process = Process()
            private let results = Pipe()
            private let pipe = Pipe()
            /// The notes so far.
            private(set) var notes = ""

            init(_ arguments: [String], executable: URL? = BuiltCommand.executable) throws {
                process.executableURL = executable
                process.arguments = arguments
                process.standardOutput = results
                process.standardError = pipe
                try process.runToBeKilled()
            }

            func send(_ signal: Int32) { Glibc.kill(process.processIdentifier, signal) }

            /// Waits for the next notes.
            mutating func readNotes() throws {
                let data = pipe.fileHandleForReading.availableData
                try #require(!data.isEmpty)
                notes += String(decoding: data, as: UTF8.self)
            }

            mutating func waitForFirstByte() throws {
                while !notes.contains("first byte") { try readNotes() }
            }

            /// Waits for the end of the results and of the notes, and then for that of the command.
            @discardableResult
            mutating func finish() throws -> Data {
                let data = try results.fileHandleForReading.readToEnd() ?? Data()
                notes += try pipe.fileHandleForReading.readToEnd().map { String(decoding: $0, as: UTF8.self) } ?? ""
                process.waitUntilExit()
                return data
            }
        }

        /// Shows JSON on a terminal, with a circumflex in place of each escape character.
        private func shown(_ json: String) async throws -> String {
            let server = try MockServer()
            server.on(.get, "/", .jsonText(json))
            let command = try #require(BuiltCommand.executable)
            let line = "\(command.path(percentEncoded: false)) request \(server.baseURL.absoluteString) 2>/dev/null"
            let result = try await BuiltCommand.run(
                URL(filePath: "/usr/bin/script"),
                ["-qec", line, "/dev/null"],
                environment: ["TERM": "xterm", "NO_COLOR": ""]
            )
            return result.output.replacing("\r\n", with: "\n").replacing("\u{1B}[", with: "^")
        }

        @Test func jsonIsIndentedAndColoredInItsOwnOrder() async throws {
            let text = try await shown(#"{"b":1,"a":[true,"x\"y"],"c":{}}"#)
            #expect(
                text == """
                    {
                      ^36m"b"^0m: ^33m1^0m,
                      ^36m"a"^0m: [
                        ^33mtrue^0m,
                        ^32m"x\\"y"^0m
                      ],
                      ^36m"c"^0m: {}
                    }

                    """
            )
        }

        /// An accent at the start of a string makes one character of itself and the quotation mark.
        @Test func aStringMayBeginWithAnAccent() async throws {
            let text = try await shown("[\"\u{301}]]]  a\"]")
            #expect(Array(text.utf8) == Array("[\n  ^32m\"\u{301}]]]  a\"^0m\n]\n".utf8))
        }

        @Test(arguments: [[], ["--resume"]])
        func controlCEndsADownloadAndSaysWhatIsKept(_ more: [String]) async throws {
            let server = try MockServer()
            server.on(
                .get,
                "/file",
                .data(Data(repeating: 7, count: 100_000)).header("ETag", "\"v1\"").stalling(at: .inBody(after: 50_000))
            )
            let folder = try TemporaryFolder()
            let arguments = ["download", server.url("/file").absoluteString, folder.url.path()] + more
            var command = try RunningCommand(arguments)
            await server.waitForRequests(1)
            func sizes() throws -> [Int] {
                try FileManager.default.contentsOfDirectory(atPath: folder.url.path()).map { name in
                    try FileManager.default.attributesOfItem(atPath: folder.file(name).path())[.size] as? Int ?? 0
                }
            }
            while try (sizes().max() ?? 0) == 0 { try await Task.sleep(for: .milliseconds(5)) }
            command.send(SIGINT)
            try command.finish()
            #expect(command.process.terminationStatus == 130)
            let kept =
                more.isEmpty
                ? "nothing is kept" : "`--resume` continues if the server supports it, and starts over if not"
            #expect(command.notes == "netkit download: interrupted; \(kept).\n")
            #expect(try sizes().contains { $0 > 0 } == !more.isEmpty)
            server.release()
        }

        @Test(arguments: [(SIGHUP, 129), (SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
        func aSignalEndsARequestAndLeavesNoPartOfItsFile(_ signal: Int32, _ status: Int32) async throws {
            let server = try MockServer()
            let body = Data(repeating: 7, count: 100_000)
            server.on(.get, "/file", .data(body).stalling(at: .inBody(after: 50_000)))
            let folder = try TemporaryFolder()
            var command = try RunningCommand([
                "request", server.url("/file").absoluteString, "-o", folder.file("file").path(), "--har",
                folder.file("calls.har").path(),
            ])
            while try folder.names.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
            command.send(signal)
            try command.finish()
            #expect(command.process.terminationReason == .exit)
            #expect(command.process.terminationStatus == status)
            #expect(command.notes.hasSuffix("netkit request: interrupted.\n"))
            #expect(try folder.names == ["calls.har"])
            server.release()
        }

        @Test func controlCEndsARequestWithJSONToo() async throws {
            let server = try MockServer()
            server.on(.get, "/", .text("late").stalling(at: .inBody(after: 2)))
            var command = try RunningCommand(["request", server.baseURL.absoluteString, "--json", "-v"])
            try command.waitForFirstByte()
            command.send(SIGINT)
            let json = try JSONValue(parsing: try command.finish())
            #expect(command.process.terminationStatus == 130)
            #expect(json["error"]?["code"] == "cancelled")
            #expect(json["error"]?["message"] == "The command was interrupted.")
            #expect(command.notes.hasSuffix("netkit request: interrupted.\n"))
            server.release()
        }

        /// The body cannot end before it is released, however fast or slow the machine is.
        @Test func theTimeOfAnExchangeIncludesItsBody() async throws {
            let server = try MockServer()
            server.on(.get, "/", .text("late").stalling(at: .inBody(after: 2)))
            var command = try RunningCommand(["request", server.baseURL.absoluteString, "-v"])
            try command.waitForFirstByte()
            try await Task.sleep(for: .milliseconds(60))
            server.release()
            try command.finish()
            let line = try #require(command.notes.firstMatch(of: /, first byte (.+), exchange (.+)\n/))
            func milliseconds(_ text: Substring) -> Double {
                text.matches(of: /([\d.]+)(m?)s/).reduce(0) { $0 + (Double($1.1) ?? 0) * ($1.2.isEmpty ? 1000 : 1) }
            }
            #expect(milliseconds(line.2) - milliseconds(line.1) > 50, "\(line.0)")
        }

        /// A shell starts a command in the background in this way.
        @Test func aCommandLeavesAnIgnoredControlCIgnored() async throws {
            let server = try MockServer()
            server.on(.get, "/", .text("late").stalling(at: .inBody(after: 2)))
            let path = try #require(BuiltCommand.executable).path(percentEncoded: false)
            let script = "trap '' INT; exec \"$0\" request \"$1\" -v"
            let arguments = ["-c", script, path, server.baseURL.absoluteString]
            var command = try RunningCommand(arguments, executable: URL(filePath: "/bin/sh"))
            try command.waitForFirstByte()
            command.send(SIGINT)
            server.release()
            #expect(try command.finish() == Data("late".utf8))
            #expect(command.process.terminationStatus == 0)
        }

        /// A pipe that nothing reads cannot be opened for writing, and the wait for that cannot be cancelled.
        @Test func theSecondControlCEndsACommandThatIsBlocked() async throws {
            let server = try MockServer()
            server.on(.get, "/", .text("ok"))
            let folder = try TemporaryFolder()
            let pipe = folder.file("pipe").path(percentEncoded: false)
            #expect(mkfifo(pipe, 0o600) == 0)
            var command = try RunningCommand(["request", server.baseURL.absoluteString, "-o", pipe])
            // The command shows the head of the response, and opens the pipe.
            try command.readNotes()
            // A signal that comes before the first one is handled counts as that one.
            while command.process.isRunning {
                command.send(SIGINT)
                try await Task.sleep(for: .milliseconds(5))
            }
            command.process.waitUntilExit()
            #expect(command.process.terminationReason == .uncaughtSignal)
            #expect(command.process.terminationStatus == SIGINT)
        }
    }
#endif
