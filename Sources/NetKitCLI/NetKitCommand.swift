import Foundation
import NetKit

/// The command `netkit`, which runs a subcommand and turns its errors into messages and exit codes.
@main
struct NetKitCommand {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        exit(await run(arguments, output: .standard).rawValue)
    }

    static func run(_ arguments: [String], output: CommandOutput) async -> ExitCode {
        let rest = Array(arguments.dropFirst())
        switch arguments.first {
        case "request":
            return await run("request", RequestOptions.help, output) {
                let options = try RequestOptions(rest)
                return try await RequestCommand(options: options, output: output, style: .of(descriptor: 2)).run()
            }
        case "queue":
            return await run("queue", QueueOptions.help, output) {
                try await QueueCommand(options: QueueOptions(rest), output: output).run()
            }
        case "download":
            return await run("download", DownloadOptions.help, output) {
                let options = try DownloadOptions(rest)
                return try await DownloadCommand(options: options, output: output, isTerminal: isatty(2) == 1).run()
            }
        case "monitor":
            return await run("monitor", MonitorOptions.help, output) {
                let options = try MonitorOptions(rest)
                return await MonitorCommand(options: options, output: output, isTerminal: isatty(1) == 1).run()
            }
        case "tour":
            return await run("tour", TourOptions.help, output) {
                let (options, isTerminal) = (try TourOptions(rest), isatty(1) == 1 && isatty(2) == 1)
                let style = TerminalStyle.of(descriptor: 1)
                return try await TourCommand(options: options, output: output, style: style, isTerminal: isTerminal)
                    .run()
            }
        case "help", "--help", "-h", nil:
            output.text(help)
            return arguments.isEmpty ? .usage : .success
        case let unknown?:
            output.note("netkit: there is no command \"\(unknown)\".\n\n\(help)")
            return .usage
        }
    }

    /// Runs a subcommand and reports its error.
    private static func run(
        _ name: String,
        _ help: String,
        _ output: CommandOutput,
        _ command: () async throws -> ExitCode
    ) async -> ExitCode {
        do {
            return try await command()
        } catch let error as UsageError where error.isHelp {
            output.text(help)
            return .success
        } catch let error as UsageError {
            output.note("netkit \(name): \(error.message)\n\n\(help)")
            return .usage
        } catch {
            output.note("netkit \(name): \(error)")
            return .failure
        }
    }

    static let help = """
        Usage: netkit <command>

          tour            show what NetKit does in two minutes, against a misbehaving server
          request <url>   send one request through the full pipeline and show the response
          download <url>  download a file and show the progress
          monitor         show the network's status and every change
          queue <action>  inspect the folder of an offline queue, and retry or remove entries
          help            show this help

        `netkit <command> --help` shows the options of a command.
        """
}

/// The exit code of the command.
enum ExitCode: Int32 {
    case success = 0
    case failure = 1
    case usage = 2
    /// A response with status 4xx.
    case clientError = 4
    /// A response with status 5xx.
    case serverError = 5
}

/// An error in the arguments.
struct UsageError: Error {
    let message: String
    var isHelp = false

    static let help = UsageError(message: "", isHelp: true)

    static func unexpected(_ argument: String) -> UsageError {
        UsageError(message: "unexpected argument \"\(argument)\".")
    }

    static func unknownOption(_ option: String) -> UsageError {
        UsageError(message: "there is no option \"\(option)\".")
    }
}

extension ArraySlice<String> {
    /// Removes and returns the value that follows an option.
    mutating func takeValue(of option: String) throws -> String {
        guard let value = popFirst() else { throw UsageError(message: "\(option) needs a value.") }
        return value
    }
}
