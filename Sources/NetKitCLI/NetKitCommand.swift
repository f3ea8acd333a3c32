import Dispatch
import Foundation
import NetKit

/// The command `netkit`, which runs a subcommand and turns its errors into messages and exit codes.
@main
struct NetKitCommand {
    static func main() async {
        occupyClosedDescriptors()
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard areText else { exit(refuse("an argument is not UTF-8.", .standard).rawValue) }
        exit(await run(arguments, output: .standard).rawValue)
    }

    /// Whether every argument is UTF-8.
    ///
    /// Anything else is replaced in `arguments`, so a file would get another name, and a server another text.
    private static var areText: Bool {
        (0..<Int(CommandLine.argc)).allSatisfy { index in
            CommandLine.unsafeArgv[index].map { String(validatingCString: $0) != nil } ?? true
        }
    }

    /// Opens each standard descriptor that was closed by the caller, so that no file or socket gets its number and then
    /// the output of the command.
    ///
    /// Writing fails as it would to a closed one.
    private static func occupyClosedDescriptors() {
        for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", (descriptor == 0 ? O_WRONLY : O_RDONLY) | O_CLOEXEC)
        }
    }

    static func run(_ arguments: [String], output: CommandOutput) async -> ExitCode {
        let rest = Array(arguments.dropFirst())
        switch arguments.first {
        case let name? where commandsWithoutPage.contains(name) && (rest == ["--help"] || rest == ["-h"]):
            output.text(help)
            return .success
        case "completions": return completions(rest, output)
        case "manual" where rest.isEmpty:
            output.text(Completions.manual(pages, version: version))
            return .success
        case "--version" where rest.isEmpty, "version" where rest.isEmpty:
            output.text("netkit \(version)")
            return .success
        case "manual", "--version", "version":
            return refuse("unexpected argument \"\(rest[0])\".", output)
        case "help", "--help", "-h": return showHelp(of: rest, output)
        case nil:
            output.text(help)
            return .usage
        case let name?: return await runSubcommand(name, rest, output)
        }
    }

    /// Runs the command of a page; any other name is a wrong argument.
    private static func runSubcommand(_ name: String, _ rest: [String], _ output: CommandOutput) async -> ExitCode {
        switch name {
        case "request":
            return await run(RequestOptions.syntax.page, output) {
                let options = try RequestOptions(rest)
                let (notes, results) = (TerminalStyle.of(descriptor: 2), TerminalStyle.of(descriptor: 1))
                return try await RequestCommand(options: options, output: output, style: notes, results: results).run()
            }
        case "queue":
            return await run(QueueOptions.syntax.page, output) {
                try await QueueCommand(options: QueueOptions(rest), output: output).run()
            }
        case "download":
            return await run(DownloadOptions.syntax.page, output) {
                let options = try DownloadOptions(rest)
                return try await DownloadCommand(options: options, output: output, isTerminal: isatty(2) == 1).run()
            }
        case "monitor":
            return await run(MonitorOptions.syntax.page, output) {
                let options = try MonitorOptions(rest)
                return await MonitorCommand(options: options, output: output, isTerminal: isatty(1) == 1).run()
            }
        case "database":
            return await run(DatabaseOptions.syntax.page, output) {
                try await DatabaseCommand(options: DatabaseOptions(rest), output: output).run()
            }
        case "tour":
            return await run(TourOptions.syntax.page, output) {
                let (options, isTerminal) = (try TourOptions(rest), isatty(1) == 1 && isatty(2) == 1)
                let style = TerminalStyle.of(descriptor: 1)
                return try await TourCommand(options: options, output: output, style: style, isTerminal: isTerminal)
                    .run()
            }
        default: return refuse(unknown: name, output)
        }
    }

    private static func completions(_ shells: [String], _ output: CommandOutput) -> ExitCode {
        guard shells.count == 1, let script = Completions.script(for: shells[0], pages) else {
            let shells = Completions.shells.joined(separator: ", ")
            output.note("netkit completions: name one of these shells: \(shells).")
            return .usage
        }
        output.text(script)
        return .success
    }

    private static func showHelp(of names: [String], _ output: CommandOutput) -> ExitCode {
        if names.count > 1 { return refuse("unexpected argument \"\(names[1])\".", output) }
        if let name = names.first, !commandsWithoutPage.contains(name) {
            guard let page = pages.first(where: { $0.name == name }) else { return refuse(unknown: name, output) }
            output.text(page.help)
        } else {
            output.text(help)
        }
        return .success
    }

    static let version = "0.1.0"

    /// The subcommands, in the order of the help.
    static let pages = [
        TourOptions.syntax.page, RequestOptions.syntax.page, DownloadOptions.syntax.page, MonitorOptions.syntax.page,
        QueueOptions.syntax.page, DatabaseOptions.syntax.page,
    ]

    /// The commands that the help of all commands explains.
    private static let commandsWithoutPage = ["completions", "manual", "help", "version"]

    private static func refuse(unknown name: String, _ output: CommandOutput) -> ExitCode {
        refuse("there is no command \"\(name.withoutPassword)\".", output)
    }

    private static func refuse(_ problem: String, _ output: CommandOutput) -> ExitCode {
        output.note("netkit: \(problem.withoutPasswords)\nUsage: netkit <command>\nTry `netkit help`.")
        return .usage
    }

    /// Runs a subcommand and reports its error.
    private static func run(
        _ page: CommandPage,
        _ output: CommandOutput,
        _ command: () async throws -> ExitCode
    ) async -> ExitCode {
        do {
            return try await command()
        } catch let error as UsageError where error.isHelp {
            output.text(page.help)
            return .success
        } catch let error as UsageError {
            let lines = (["netkit \(page.name): \(error.message)"] + error.details).map(\.withoutPasswords)
            output.note((lines + [page.usage, "Try `netkit help \(page.name)`."]).joined(separator: "\n"))
            return .usage
        } catch {
            output.note("netkit \(page.name): \("\(error)".withoutPasswords)")
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
          database <action>
                          create, migrate or inspect the schema of NetKitPostgres in a database
          completions <shell>
                          print completions for bash, zsh or fish
          manual          print the manual, for `man -l -`
          help <command>  show the options of a command
          --version       show the version

        \(ExitCode.table)
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
    /// The exit status after SIGHUP, as shells report it.
    case hungUp = 129
    /// The exit status after Control-C, as shells report it.
    case interrupted = 130
    /// The exit status after SIGTERM, as shells report it.
    case terminated = 143

    /// The exit code for the status of a response.
    init(_ status: HTTPStatus) {
        self =
            switch status.code {
            case ..<400: .success
            case ..<500: .clientError
            default: .serverError
            }
    }

    static let meanings: [(code: Int32, text: String)] = [
        (success.rawValue, "done; for request, a status below 400, and for download, the whole file or status 304"),
        (
            failure.rawValue,
            "a failure, such as no connection or a damaged queue, or, for download, a redirect that was not followed"
        ),
        (usage.rawValue, "wrong arguments"),
        (clientError.rawValue, "a response with status 4xx"),
        (serverError.rawValue, "a response with status 5xx"),
        (hungUp.rawValue, "ended because its terminal was closed"),
        (interrupted.rawValue, "interrupted with Control-C"),
        (terminated.rawValue, "ended by SIGTERM"),
    ]

    /// The exit codes for the help.
    static let table =
        (["Exit codes:"]
        + meanings.map { code, text in
            "  \(code)\(String(repeating: " ", count: 5 - "\(code)".count))\(text)"
        }).joined(separator: "\n")
}

/// An error in the arguments.
struct UsageError: Error {
    let message: String
    /// Further lines, such as the place of the error.
    var details: [String] = []
    var isHelp = false

    static let help = UsageError(message: "", isHelp: true)

    /// Returns the error without the password of an argument that is a URL in the wrong place.
    func masking(_ argument: String) -> UsageError {
        UsageError(message: message.replacing(argument, with: argument.withoutPassword), details: details)
    }

    static func unexpected(_ argument: String) -> UsageError {
        UsageError(message: "unexpected argument \"\(argument.withoutPassword)\".")
    }

    static func unknownOption(_ option: String) -> UsageError {
        UsageError(message: "there is no option \"\(option)\".")
    }
}

extension UsageError {
    /// Creates the error of an argument that the library refuses before it sends anything; `nil` for other errors.
    init?(refused error: any Error) {
        guard let error = error as? NetKitError, error.outcome == .notSent,
            error.code == .invalidURL || error.code == .invalidRequest
        else { return nil }
        self.init(message: error.message)
    }

    /// Checks an argument with what the library makes from it.
    static func check(_ make: () throws -> Void) throws {
        do {
            try make()
        } catch let error as NetKitError {
            throw UsageError(message: error.message)
        }
    }
}

extension String {
    /// The text with the password of a URL, and its secret query items, masked.
    var withoutPassword: String { Redaction.standard.redacted(urlText: self, dropsFragment: false) }

    /// The message with the passwords and secret query items of the URLs in it masked, such as that of an argument in
    /// the wrong place.
    var withoutPasswords: String { Redaction.standard.redacted(urlsIn: self) }
}

extension ArraySlice<String> {
    /// Removes and returns the value that follows an option.
    mutating func takeValue(of option: String) throws -> String {
        guard let value = popFirst() else { throw UsageError(message: "\(option) needs a value.") }
        return value
    }
}

/// Runs an action and then its end, which also follows a failure.
func finishing<Success>(
    _ action: () async throws -> Success,
    with end: () async -> Void
) async throws -> Success {
    do {
        let success = try await action()
        await end()
        return success
    } catch {
        await end()
        throw error
    }
}

/// The error of an action that a signal ended.
struct Interruption: Error, CustomStringConvertible {
    let exitCode: ExitCode
    let description = "The command was interrupted."
}

/// Ignores a signal, so that a source can handle it, and returns `false` if it was ignored before.
///
/// A shell ignores Control-C for what it starts in the background, and `nohup` ignores SIGHUP. A command has to leave
/// it so.
func takesOver(_ number: Int32) -> Bool {
    let earlier = signal(number, SIG_IGN).map { unsafeBitCast($0, to: Int.self) }
    return earlier != unsafeBitCast(SIG_IGN, to: Int.self)
}

/// Runs an action that the first Control-C, SIGTERM or SIGHUP cancels, so that it ends cleanly and fails as an
/// interruption.
///
/// The next one ends the process, even if the action is in a call that blocks.
func interruptible<Success: Sendable>(
    _ action: @escaping @Sendable () async throws -> Success
) async -> Result<Success, any Error> {
    let work = Task { try await action() }
    let interruption = Locked<Interruption?>(nil)
    let known: [(number: Int32, code: ExitCode)] = [
        (SIGHUP, .hungUp), (SIGINT, .interrupted), (SIGTERM, .terminated),
    ]
    let signals = known.filter { takesOver($0.number) }
    let sources = signals.map { number, code in
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler {
            for (number, _) in signals { signal(number, SIG_DFL) }
            interruption.withLock { $0 = $0 ?? Interruption(exitCode: code) }
            work.cancel()
        }
        source.resume()
        return source
    }
    let result = await work.result
    for source in sources { source.cancel() }
    for (number, _) in signals { signal(number, SIG_DFL) }
    guard case .failure(is CancellationError) = result, let reason = interruption.withLock({ $0 }) else {
        return result
    }
    return .failure(reason)
}
