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
                                   a server that has to take connections; can be repeated
          --page <http URL>        a page that has to be answered with 204, which tells captive portals apart;
                                   can be repeated
          --quorum <number>        how many targets have to answer; 1 unless said otherwise
          --interval <seconds>     from one round of questions to the next; 15 unless said otherwise
          --timeout <seconds>      how long a round may take; 3 unless said otherwise
          --failures <number>      after how many rounds in vain the network counts as lost; 2 unless said otherwise
          --once                   print one status and end
          --json                   print a line of JSON for each status
          --spanish                say it in Spanish
          -h, --help               show this text

        Without a target only the link is known, and nothing is sent. It runs until it is interrupted.
        With --once the exit code is 0 where there is a network, 1 where there is none; 2 is for wrong arguments.
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
