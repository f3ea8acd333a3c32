import Foundation
import NetKit

/// The arguments of `netkit monitor`.
struct MonitorOptions {
    var probes = ProbePolicy()
    var texts = NetworkTexts.english
    var showsJSON = false
    var isOnce = false

    static let help = """
        Usage: netkit monitor [options]

          -t, --target <host:port or URL>
                                   a server that must accept connections; can be repeated
          --page <http URL>        a page that must return 204, which reveals captive portals; can be repeated
          --quorum <number>        the number of targets that must respond; default 1
          --interval <seconds>     the time from one round of probes to the next; default 15
          --timeout <seconds>      the longest time that a round may take; default 3
          --failures <number>      the number of failed rounds after which the network counts as lost; default 2
          --once                   print one status and exit
          --json                   print each status as a line of JSON
          --spanish                print texts in Spanish
          -h, --help               show this help

        Without a target, only the link is known, and nothing is sent. The command runs until it is interrupted.
        With --once, the exit code is 0 with a network, 1 without one, 2 for wrong arguments.
        """

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "-h", "--help": throw UsageError.help
            case "-t", "--target": probes.targets.append(try Self.target(try rest.takeValue(of: argument)))
            case "--page":
                let text = try rest.takeValue(of: argument)
                guard let target = ProbeTarget(http: URL(string: text)) else {
                    throw UsageError(message: "--page needs an http URL, not \"\(text)\".")
                }
                probes.targets.append(target)
            case "--quorum": probes.quorum = try Self.count(argument, &rest)
            case "--failures": probes.failuresToDisconnect = try Self.count(argument, &rest)
            case "--interval": probes.interval = try Self.seconds(argument, &rest)
            case "--timeout": probes.timeout = try Self.seconds(argument, &rest)
            case "--once": isOnce = true
            case "--json": showsJSON = true
            case "--spanish": texts = .spanish
            default: throw UsageError.unknownOption(argument)
            }
        }
    }

    private static func target(_ text: String) throws -> ProbeTarget {
        let address = text.contains("://") ? text : "tcp://\(text)"
        guard let target = ProbeTarget(URL(string: address)) else {
            throw UsageError(message: "a target is written \"host:port\", or is a URL; \"\(text)\" is neither.")
        }
        return target
    }

    private static func count(_ option: String, _ rest: inout ArraySlice<String>) throws -> Int {
        let text = try rest.takeValue(of: option)
        guard let count = Int(text), count > 0 else {
            throw UsageError(message: "\(option) needs a number above 0, not \"\(text)\".")
        }
        return count
    }

    private static func seconds(_ option: String, _ rest: inout ArraySlice<String>) throws -> Duration {
        let text = try rest.takeValue(of: option)
        guard let seconds = Double(text), seconds > 0, seconds < 1e9 else {
            throw UsageError(message: "\(option) needs a number of seconds above 0, not \"\(text)\".")
        }
        return .seconds(seconds)
    }
}
