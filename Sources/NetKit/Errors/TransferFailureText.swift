/// The meaning of the text of a failed transfer, if its code says nothing.
///
/// FoundationNetworking reports most failures as `URLError.unknown` and puts libcurl's own words beside it. They differ a
/// little from version to version, so each rule looks for the part that has been the same since 7.68.
enum TransferFailureText {
    /// The meaning of a text.
    struct Meaning: Equatable {
        let code: NetKitError.Code
        let outcome: NetKitError.Outcome
        /// One sentence or two; what the system said of the failure goes to the end of the first.
        private let message: String

        init(_ code: NetKitError.Code, _ outcome: NetKitError.Outcome, _ message: String) {
            (self.code, self.outcome, self.message) = (code, outcome, message)
        }

        func message(_ detail: String) -> String {
            guard let end = message.firstIndex(of: "."), !detail.isEmpty else { return message }
            return message[..<end] + detail + message[end...]
        }

        static let unresolved = Meaning(
            .dns,
            .notSent,
            "The host's name could not be resolved. Check the spelling and the DNS settings."
        )
        static let unreachable = Meaning(
            .connect,
            .notSent,
            "No connection could be made. Is the server listening there?"
        )
        static let insecure = Meaning(.tls, .notSent, "The secure connection could not be established.")
        static let lost = Meaning(
            .connectionLost,
            .unknown,
            "The connection was lost before the response was complete."
        )
        static let notUnderstood = Meaning(.invalidResponse, .unknown, "The server's response could not be understood.")
        static let tooLate = Meaning(.timeout, .unknown, "The transfer timed out.")
    }

    /// The meaning of a text; `nil` if nothing is known about it.
    static func meaning(of text: String) -> Meaning? {
        let text = text.lowercased()
        guard let rule = rules.first(where: { rule in rule.parts.contains { text.contains($0) } }) else { return nil }
        return rule.meaning
    }

    private struct Rule {
        let parts: [String]
        let meaning: Meaning

        init(_ meaning: Meaning, _ parts: String...) {
            (self.meaning, self.parts) = (meaning, parts)
        }
    }

    /// The first that fits counts, so what is more special stands first.
    private static let rules = [
        Rule(
            .unresolved,
            "could not resolve",
            "couldn't resolve",
            "resolving timed out"
        ),
        // Reading and writing over a secure connection that already stands is no matter of certificates.
        Rule(.lost, "ssl_read", "ssl_write", "ssl read", "ssl write", "close_notify"),
        Rule(
            .unreachable,
            "failed to connect",
            "could not connect",
            "couldn't connect",
            "connect fail",
            "connection timed out after",
            "connection refused"
        ),
        Rule(
            .insecure,
            "ssl",
            "tls",
            "certificate",
            "schannel"
        ),
        Rule(
            .lost,
            "transfer closed with",
            "empty reply",
            "recv failure",
            "send failure",
            "reset by peer",
            "broken pipe",
            "failure when receiving",
            "failed sending",
            "rewind",
            "partial file"
        ),
        Rule(
            .notUnderstood,
            "chunk",
            "hexadecimal",
            "http/0.9",
            "unsupported http",
            "unsupported response",
            "http version",
            "status line",
            "header",
            "weird server reply",
            "failed writing",
            "unencoding",
            "content encoding",
            "content-length",
            "stream",
            "nul byte",
            // What libcurl says of a header line that is longer than it takes.
            "out of memory"
        ),
        Rule(.tooLate, "timed out", "timeout"),
    ]
}
