import Foundation
import NetKit

/// The command `netkit-bench`, which compares NetKit with the libraries below it, as ratios within one run.
@main
struct NetKitBench {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            if try await HiddenCommand.run(arguments) { exit(0) }
            let command = try BenchCommand(arguments, scenarios: Scenarios.names, probes: Probes.names)
            exit(try await run(command))
        } catch let error as UsageError {
            note("netkit-bench: \(error.message)\n\n\(BenchHelp.text)")
            exit(2)
        } catch {
            note("netkit-bench: \(error)")
            exit(1)
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
