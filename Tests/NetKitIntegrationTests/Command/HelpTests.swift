import Foundation
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of the help, the completions and the manual, which come from the same options.
@Suite(.needsTheMachine, .needsCommand)
struct HelpTests {
    private static let commands = ["tour", "request", "download", "monitor", "queue"]

    @Test(arguments: commands)
    func helpOfACommandIsItsOwn(_ command: String) async throws {
        let result = try await BuiltCommand.run(["help", command])
        #expect(result.status == 0)
        #expect(result.output.hasPrefix("Usage: netkit \(command)"))
        #expect(result.output == (try await BuiltCommand.run([command, "--help"])).output)
        #expect(result.output.contains("Exit codes:\n  0    "))
    }

    @Test(arguments: commands)
    func aWrongOptionTakesThreeLines(_ command: String) async throws {
        let result = try await BuiltCommand.run([command, "--wrong"])
        #expect(result.status == 2)
        let lines = result.notes.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.first == "netkit \(command): there is no option \"--wrong\".")
        #expect(lines.last == "Try `netkit help \(command)`.")
    }

    @Test(arguments: ["completions", "manual", "help", "version"])
    func aCommandWithoutOptionsIsInTheHelpOfAll(_ command: String) async throws {
        let help = try await BuiltCommand.run(["help"]).output
        for arguments in [["help", command], [command, "--help"], [command, "-h"]] {
            let result = try await BuiltCommand.run(arguments)
            #expect(result.status == 0)
            #expect(result.output == help)
        }
    }

    @Test func anUnknownCommandTakesThreeLines() async throws {
        for arguments in [["fetch"], ["help", "fetch"]] {
            let result = try await BuiltCommand.run(arguments)
            #expect(result.status == 2)
            #expect(result.notes.hasPrefix("netkit: there is no command \"fetch\".\n"))
        }
    }

    @Test func theVersionIsANumber() async throws {
        let result = try await BuiltCommand.run(["--version"])
        #expect(result.output.wholeMatch(of: #/netkit \d+\.\d+\.\d+\n/#) != nil)
    }

    @Test(arguments: [
        ("req", "request"), ("request --data", "--data --data-json"), ("man", "manual"), ("--v", "--version"),
        ("queue re", "retry remove"), ("database s", "status"), ("completions f", "fish"), ("help q", "queue"),
        ("queue list l", ""), ("request re", ""),
    ])
    func bashCompletesCommandsAndOptions(_ words: String, _ expected: String) async throws {
        let folder = try TemporaryFolder()
        let script = try folder.write(
            Data(await BuiltCommand.run(["completions", "bash"]).output.utf8),
            to: "netkit.bash"
        )
        let ask = """
            source "\(script.path(percentEncoded: false))"
            COMP_WORDS=(netkit \(words)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _netkit; echo "${COMPREPLY[@]}"
            """
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", ask]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.runAlone()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(String(decoding: output, as: UTF8.self) == "\(expected)\n")
    }

    @Test func everyShellAndTheManualKnowTheOptions() async throws {
        for arguments in [["completions", "zsh"], ["completions", "fish"], ["manual"]] {
            let result = try await BuiltCommand.run(arguments)
            #expect(result.status == 0)
            #expect(result.output.contains("data-json") || result.output.contains("data\\-json"))
        }
        #expect(try await BuiltCommand.run(["completions", "fish"]).output.contains("-l version "))
        #expect(try await BuiltCommand.run(["completions", "powershell"]).status == 2)
    }
}
