/// What the words of a failed transfer mean, where the code beside them says nothing.
///
/// FoundationNetworking reports most failures as `URLError.unknown` and puts libcurl's own words beside it. They differ a
/// little from version to version, so each rule looks for the part that has been the same since 7.68.
enum TransferFailureText {
    /// What a text means.
    struct Meaning: Equatable {
        let code: NetKitError.Code
        let outcome: NetKitError.Outcome
        let message: String
    }

    /// The meaning of a text; nil where nothing is known about it.
    static func meaning(of text: String) -> Meaning? {
        let text = text.lowercased()
        guard let rule = rules.first(where: { rule in rule.parts.contains { text.contains($0) } }) else { return nil }
        return rule.meaning
    }

    private struct Rule {
        let parts: [String]
        let meaning: Meaning

        init(_ code: NetKitError.Code, _ outcome: NetKitError.Outcome, _ message: String, _ parts: String...) {
            self.parts = parts
            meaning = Meaning(code: code, outcome: outcome, message: message)
        }
    }

    /// The first that fits counts, so what is more special stands first.
    private static let rules = [
        Rule(
            .dns,
            .notSent,
            "The host's name could not be resolved. Check the spelling and the DNS settings.",
            "could not resolve",
            "couldn't resolve",
            "resolving timed out"
        ),
        // Reading and writing over a secure connection that already stands is no matter of certificates.
        Rule(.connectionLost, .unknown, lost, "ssl_read", "ssl_write", "ssl read", "ssl write", "close_notify"),
        Rule(
            .connect,
            .notSent,
            "No connection could be made. Is the server listening there?",
            "failed to connect",
            "could not connect",
            "couldn't connect",
            "connect fail",
            "connection timed out after",
            "connection refused"
        ),
        Rule(
            .tls,
            .notSent,
            "The secure connection could not be established.",
            "ssl",
            "tls",
            "certificate",
            "gnutls",
            "schannel"
        ),
        Rule(
            .connectionLost,
            .unknown,
            lost,
            "transfer closed with",
            "empty reply",
            "recv failure",
            "send failure",
            "reset by peer",
            "broken pipe",
            "failure when receiving",
            "failed sending",
            "rewind",
            "partial file",
            "transferred a partial"
        ),
        Rule(
            .invalidResponse,
            .unknown,
            "The server's answer could not be understood.",
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
        Rule(.timeout, .unknown, "The transfer timed out.", "timed out", "timeout"),
    ]

    private static let lost = "The connection was lost before the answer was complete."
}
