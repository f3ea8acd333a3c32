import Foundation
import NetKit

/// The command `netkit-bench`, which compares NetKit with the libraries below it, as ratios within one run.
@main
struct NetKitBench {
    /// Runs the command while the main thread waits.
    ///
    /// The main thread of an asynchronous `main` ends before the process does, which Valgrind does not survive.
    static func main() {
        Task { @concurrent in exit(await status(of: Array(CommandLine.arguments.dropFirst()))) }
        while true { sleep(.max) }
    }

    @concurrent
    private static func status(of arguments: [String]) async -> Int32 {
        do {
            if try await HiddenCommand.run(arguments) { return 0 }
            let command = try BenchCommand(arguments, scenarios: Scenarios.names, probes: Probes.names)
            return try await run(command)
        } catch let error as UsageError {
            note("netkit-bench: \(error.message)\n\n\(BenchHelp.text)")
            return 2
        } catch {
            note("netkit-bench: \(error)")
            return 1
        }
    }

    @concurrent
    private static func run(_ command: BenchCommand) async throws -> Int32 {
        switch command.task {
        case .help: print(BenchHelp.text)
        case .list: print(BenchHelp.list)
        case .scenarios(let names): return try await ScenarioRun(command: command).run(names) ? 0 : 1
        case .probes(let names): try await ProbeRun(command: command).run(names)
        }
        return 0
    }

    private static func note(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }
}
