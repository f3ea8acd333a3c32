public import Foundation

extension NetKitError: CustomStringConvertible, LocalizedError {
    /// One line that says what failed, why, and what is known: nothing secret, no control characters, no body text.
    public var description: String {
        var text = ""
        if let requestLine { text += "\(requestLine): " }
        text += message
        var facts = [code.description]
        if let timeoutPhase { facts.append("\(timeoutPhase.description) limit") }
        if let status { facts.append("status \(status.code)") }
        facts.append(outcome.description)
        if attempts > 1 { facts.append("\(attempts) attempts") }
        if let stop = attemptLog?.stop, stop.tellsMore(than: self) { facts.append(stop.description) }
        return Self.oneLine(text, limit: 900) + " [\(facts.joined(separator: ", "))]"
    }

    /// The same line, for those who print `localizedDescription`.
    public var errorDescription: String? { description }

    /// Replaces what would break a log line, and bounds the length: parts of the text may come from a peer.
    package static func oneLine(_ text: String, limit: Int) -> String {
        var line = ""
        for (count, scalar) in text.unicodeScalars.enumerated() {
            guard count < limit else { return line + "…" }
            let breaksLine =
                scalar.properties.generalCategory == .control || scalar.value == 0x2028 || scalar.value == 0x2029
            let reordersText = (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
            line.unicodeScalars.append(breaksLine || reordersText ? "\u{FFFD}" : scalar)
        }
        return line
    }
}
