import Foundation
import NetKit

/// The command `netkit`: picks the subcommand and turns what it throws into a message and an exit code.
@main
struct NetKitCommand {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        exit(await run(arguments, output: .standard).rawValue)
    }

    static func run(_ arguments: [String], output: CommandOutput) async -> ExitCode {
        switch arguments.first {
        case "request":
            do {
                let options = try RequestOptions(Array(arguments.dropFirst()))
                return try await RequestCommand(options: options, output: output).run()
            } catch let error as UsageError where error.isHelp {
                output.text(RequestOptions.help)
                return .success
            } catch let error as UsageError {
                output.note("netkit request: \(error.message)\n\n\(RequestOptions.help)")
                return .usage
            } catch {
                output.note("netkit request: \(error)")
                return .failure
            }
        case "queue":
            do {
                let options = try QueueOptions(Array(arguments.dropFirst()))
                return try await QueueCommand(options: options, output: output).run()
            } catch let error as UsageError where error.isHelp {
                output.text(QueueOptions.help)
                return .success
            } catch let error as UsageError {
                output.note("netkit queue: \(error.message)\n\n\(QueueOptions.help)")
                return .usage
            } catch {
                output.note("netkit queue: \(error)")
                return .failure
            }
        case "download":
            do {
                let options = try DownloadOptions(Array(arguments.dropFirst()))
                return try await DownloadCommand(options: options, output: output, isTerminal: isatty(2) == 1).run()
            } catch let error as UsageError where error.isHelp {
                output.text(DownloadOptions.help)
                return .success
            } catch let error as UsageError {
                output.note("netkit download: \(error.message)\n\n\(DownloadOptions.help)")
                return .usage
            } catch {
                output.note("netkit download: \(error)")
                return .failure
            }
        case "monitor":
            do {
                let options = try MonitorOptions(Array(arguments.dropFirst()))
                return await MonitorCommand(options: options, output: output, isTerminal: isatty(1) == 1).run()
            } catch let error as UsageError where error.isHelp {
                output.text(MonitorOptions.help)
                return .success
            } catch {
                let message = (error as? UsageError)?.message ?? "\(error)"
                output.note("netkit monitor: \(message)\n\n\(MonitorOptions.help)")
                return .usage
            }
        case "help", "--help", "-h", nil:
            output.text(help)
            return arguments.isEmpty ? .usage : .success
        case let unknown?:
            output.note("netkit: there is no command \"\(unknown)\".\n\n\(help)")
            return .usage
        }
    }

    static let help = """
        Usage: netkit <command>

          request <url>   send one request through the full pipeline and show the answer
          download <url>  receive a file, showing how far it is
          monitor         show whether there is a network, and every change
          queue <action>  look into the folder of an offline queue, retry or remove what is in it
          help            show this text

        `netkit <command> --help` tells more.
        """
}

/// What the command ends with.
enum ExitCode: Int32 {
    case success = 0
    case failure = 1
    case usage = 2
    /// The server answered 400…499.
    case clientError = 4
    /// The server answered 500…599.
    case serverError = 5
}
