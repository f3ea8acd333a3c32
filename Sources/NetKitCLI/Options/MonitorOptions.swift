import Foundation
import NetKit

/// The arguments of `netkit monitor`.
struct MonitorOptions {
    var probes = ProbePolicy()
    var texts = NetworkTexts.english
    var showsJSON = false
    var isOnce = false

    static let syntax = CommandSyntax<MonitorOptions>(
        name: "monitor",
        words: "[options]",
        options: [
            .init(
                "-t",
                "--target",
                value: "host:port or URL",
                "a server that must accept connections; can be repeated"
            ) { options, value, _ in options.probes.targets.append(try target(value)) },
            .init(
                "--page",
                value: "http URL",
                "a page that must return 204, which reveals captive portals; can be repeated"
            ) {
                guard let target = ProbeTarget(http: URL(string: $1)) else {
                    throw UsageError(message: "\($2) needs an http URL, not \"\($1)\".")
                }
                $0.probes.targets.append(target)
            },
            .init("--quorum", value: "number", "the number of targets that must respond; default 1") {
                $0.probes.quorum = try count($2, $1, upTo: ProbePolicy.maxTargets)
            },
            .init("--interval", value: "seconds", "the time from one round of probes to the next; default 15") {
                $0.probes.interval = try seconds($2, $1, upTo: ProbePolicy.maxInterval)
            },
            .init("--timeout", value: "seconds", "the longest time that a round may take; default 3") {
                $0.probes.timeout = try seconds($2, $1, upTo: ProbePolicy.maxTimeout)
            },
            .init(
                "--failures",
                value: "number",
                "the number of failed rounds after which the network counts as lost; default 2"
            ) { $0.probes.failuresToDisconnect = try count($2, $1, upTo: ProbePolicy.maxRounds) },
            .init("--once", text: "print one status and exit") { $0.isOnce = true },
            .init("--json", text: "print each status as a line of JSON") { $0.showsJSON = true },
            .init("--spanish", text: "print texts in Spanish") { $0.texts = .spanish },
        ],
        notes: """
            Without a target, only the link is known, and nothing is sent. The command runs until it is interrupted. With
            --once, the exit code is 1 without a network.
            """
    )

    init(_ arguments: [String]) throws {
        if let word = try Self.syntax.read(arguments, into: &self).first { throw UsageError.unexpected(word) }
        // The monitor itself would probe fewer targets, or lower the quorum, without an error.
        let count = probes.targets.count
        guard count <= ProbePolicy.maxTargets else {
            throw UsageError(message: "there are \(count) targets and pages. Name at most \(ProbePolicy.maxTargets).")
        }
        let quorum = probes.quorum
        guard quorum <= max(1, count) else {
            throw UsageError(message: "--quorum \(quorum) needs at least \(quorum) targets or pages, not \(count).")
        }
    }

    private static func target(_ text: String) throws -> ProbeTarget {
        let address = text.contains("://") ? text : "tcp://\(text)"
        guard let target = ProbeTarget(URL(string: address)) else {
            throw UsageError(message: "a target is written \"host:port\", or is a URL; \"\(text)\" is neither.")
        }
        return target
    }

    private static func count(_ option: String, _ text: String, upTo limit: Int) throws -> Int {
        guard let count = Int(text), (1...limit).contains(count) else {
            throw UsageError(message: "\(option) needs a number from 1 to \(limit), not \"\(text)\".")
        }
        return count
    }

    private static func seconds(_ option: String, _ text: String, upTo limit: Duration) throws -> Duration {
        let least = ProbePolicy.minTime / .seconds(1)
        let limit = limit.components.seconds
        guard let seconds = Double(text), seconds >= least, seconds <= Double(limit) else {
            let range = "seconds from \(least) to \(limit)"
            throw UsageError(message: "\(option) needs a number of \(range), not \"\(text)\".")
        }
        return .seconds(seconds)
    }
}
