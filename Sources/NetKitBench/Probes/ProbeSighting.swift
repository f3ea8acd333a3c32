import Foundation

/// The observations of one part of a probe: the end of the child process, its output, and those of the servers.
struct ProbeSighting: Sendable, Equatable {
    let part: String
    let words: String

    init(part: String, words: String) {
        (self.part, self.words) = (part, words)
    }

    init(part: String, outcome: ChildProcess.Outcome, servers: String?) {
        self.part = part
        let client = Self.client(outcome)
        words = servers.map { "\(client); the server saw \($0)" } ?? client
    }

    /// Returns the output of a child: `at: …` for its progress and `saw: …` for its result.
    ///
    /// The last line of each counts.
    static func client(_ outcome: ChildProcess.Outcome) -> String {
        let progress = last("at: ", in: outcome.output).map { " (\($0))" } ?? ""
        switch outcome.end {
        case .exit(0): return last("saw: ", in: outcome.output) ?? "nothing"
        case .exit(let code): return "the process ended with \(code)\(progress)"
        case .timedOut: return "**hung**: killed after \(NumberText.seconds(outcome.seconds.rounded()))\(progress)"
        case .signal(let number): return "**trapped**: \(reason(number, outcome.notes))\(progress)"
        }
    }

    private static func last(_ prefix: String, in output: String) -> String? {
        output.split(separator: "\n").last { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }

    private static func reason(_ signal: Int32, _ notes: String) -> String {
        for line in notes.split(separator: "\n") {
            if let found = line.range(of: "Fatal error: ") ?? line.range(of: "Fatal error") {
                let text = line[found.upperBound...].trimmingCharacters(in: .whitespaces)
                return text.isEmpty ? "Fatal error" : "`\(text.replacing("`", with: "'"))`"
            }
        }
        return "signal \(signal)"
    }

    /// Returns the number of parts by the kind of end.
    static func counts(_ sightings: [ProbeSighting]) -> String {
        let kinds = sightings.map { sighting in
            sighting.words.hasPrefix("**")
                ? String(sighting.words.prefix { $0 != ":" })
                : sighting.words.hasPrefix("threw ") ? "an error" : "a response"
        }
        return ProbeWords.counted(kinds)
    }

    /// Returns one text for several parts, in which parts with the same observations are grouped.
    static func text(_ sightings: [ProbeSighting]) -> String {
        var groups: [(words: String, parts: [String])] = []
        for sighting in sightings {
            if let index = groups.firstIndex(where: { $0.words == sighting.words }) {
                groups[index].parts.append(sighting.part)
            } else {
                groups.append((sighting.words, [sighting.part]))
            }
        }
        return groups.map { group in
            let names = names(of: group.parts, isEachSeenOnce: Set(sightings.map(\.part)).count == sightings.count)
            return names.isEmpty ? group.words : "\(names.joined(separator: ", ")): \(group.words)"
        }
        .joined(separator: " · ")
    }

    /// Returns the names of a group's parts, each with the number of its observations.
    private static func names(of parts: [String], isEachSeenOnce: Bool) -> [String] {
        if isEachSeenOnce { return parts.filter { !$0.isEmpty } }
        var names: [String] = []
        for part in parts where !names.contains(part) { names.append(part) }
        return names.map { name in
            let count = parts.count { $0 == name }
            return name.isEmpty ? "\(count) times" : "\(name) \(count) times"
        }
        .map { $0.replacing(/\b1 times$/, with: "once") }
    }
}
