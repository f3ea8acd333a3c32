#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTesting
    import NetKitTestSupport
    import Testing

    /// Tests of `netkit monitor` as a process of its own; `NetworkNamespaceTests` watches it for longer.
    @Suite(.needsTheMachine, .needsCommand)
    struct MonitorCommandTests {
        private struct Line: Decodable {
            let condition: String
            let connected: Bool
            let time: String
            let type: String
            let verified: Bool
        }

        private func monitor(_ arguments: String...) async throws -> BuiltCommand.Result {
            try await BuiltCommand.run(["monitor"] + arguments)
        }

        @Test func oneLineOfJSONSaysWhatIsKnown() async throws {
            let server = try MockServer()
            let result = try await monitor("--once", "--json", "--target", "127.0.0.1:\(server.port)")
            let line = try JSONDecoder().decode(Line.self, from: Data(result.output.utf8))
            #expect(result.status == 0 && result.notes == "")
            #expect(line.condition == "connected" && line.connected && line.verified)
            #expect(try Date(line.time, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)) <= Date())
            #expect(!line.type.isEmpty && result.output.hasSuffix("}\n"))
        }

        @Test(arguments: [
            (["--target", "tcp://127.0.0.1:%"], "no target responds", "The server cannot be reached."),
            (["-t", "http://127.0.0.1:%/v1", "--spanish"], "no target responds", "No se puede"),
        ])
        func aTargetThatIsDownIsReportedInWordsAndByTheExitCode(
            arguments: [String],
            status: String,
            banner: String
        ) async throws {
            let server = try MockServer()
            try server.refuseConnections()
            let arguments = arguments.map { $0.replacing("%", with: "\(server.port)") }
            let result = try await BuiltCommand.run(["monitor", "--once"] + arguments)
            #expect(result.status == 1)
            #expect(result.output.contains(status) && result.output.contains(banner))
            #expect(result.output.wholeMatch(of: /\d\d:\d\d:\d\d  .*\n/) != nil)
        }

        @Test func aCaptivePortalIsReportedInWords() async throws {
            let server = try MockServer()
            server.on(.get, "/check", .redirect(to: "http://portal.example/login"))
            let result = try await monitor("--once", "--page", server.url("/check").absoluteString)
            #expect(result.status == 1)
            #expect(result.output.contains("the network requires a login") && result.output.contains("log in."))
        }

        @Test func asManyTargetsAsTheQuorumHaveToRespond() async throws {
            let (up, down) = (try MockServer(), try MockServer())
            try down.refuseConnections()
            let targets = ["--target", "127.0.0.1:\(up.port)", "--target", "127.0.0.1:\(down.port)", "--timeout", "5"]
            for (quorum, expected) in [("1", 0), ("2", 1)] as [(String, Int32)] {
                let result = try await BuiltCommand.run(["monitor", "--once", "--quorum", quorum] + targets)
                #expect(result.status == expected)
            }
        }

        @Test func withoutATargetOnlyTheLinkIsKnown() async throws {
            let result = try await monitor("--once", "--json")
            let line = try JSONDecoder().decode(Line.self, from: Data(result.output.utf8))
            #expect(!line.verified && result.status == (line.connected ? 0 : 1))
        }

        @Test(arguments: [
            (["--targets", "a"], "there is no option \"--targets\""), (["--target"], "--target needs a value"),
            (["--target", "nowhere"], "\"nowhere\" is neither"), (["--page", "https://a.example/"], "an http URL"),
            (["--quorum", "0"], "from 1 to 16"), (["--interval", "-1"], "from 0.01 to 86400"),
            (["--timeout", "soon"], "from 0.01 to 60"), (["--timeout", "61"], "from 0.01 to 60"),
            (["--interval", "0.009"], "from 0.01 to 86400"), (["--timeout", "0.009"], "from 0.01 to 60"),
            (["--failures", "x"], "from 1 to 100"), (["--failures", "101"], "from 1 to 100"),
            (["--quorum", "2", "-t", "a.example:1"], "at least 2 targets or pages, not 1"),
            (Array(repeating: "--target=a.example:1", count: 17), "at most 16"),
        ])
        func wrongArgumentsAreExplained(arguments: [String], message: String) async throws {
            let result = try await BuiltCommand.run(["monitor", "--once"] + arguments)
            #expect(result.status == 2 && result.output == "")
            #expect(result.notes.contains(message) && result.notes.contains("Usage: netkit monitor"))
        }

        @Test func helpIsNoMistake() async throws {
            let result = try await monitor("--help")
            #expect(result.status == 0 && result.output.hasPrefix("Usage: netkit monitor"))
        }
    }
#endif
