/// The meaning of the text of a failed transfer, whose code says too little.
///
/// FoundationNetworking reports most failures as `URLError.unknown` and adds libcurl's own message. Messages differ
/// slightly between versions, so each rule looks for the part that has been the same since 7.68.
enum TransferFailureText {
    /// The meaning of a text.
    struct Meaning: Equatable {
        let code: NetKitError.Code
        let outcome: NetKitError.Outcome
        /// One or two sentences.
        let message: String

        init(_ code: NetKitError.Code, _ outcome: NetKitError.Outcome, _ message: String) {
            (self.code, self.outcome, self.message) = (code, outcome, message)
        }

        /// Returns the meaning with the system's message about the failure at the end of the first sentence.
        func adding(_ detail: String) -> Meaning {
            guard let end = message.firstIndex(of: "."), !detail.isEmpty else { return self }
            return Meaning(code, outcome, message[..<end] + detail + message[end...])
        }

        static let unresolved = Meaning(
            .dns,
            .notSent,
            "The host's name could not be resolved. Check the spelling and the DNS settings."
        )
        static let unreachable = Meaning(
            .connect,
            .notSent,
            "No connection could be made. Check that the server runs and listens there."
        )
        static let brokenOff = Meaning(
            .connect,
            .notSent,
            "The connection was closed while it was made or secured. Check the server, and any proxy before it."
        )
        static let insecure = Meaning(.tls, .notSent, "The secure connection could not be established.")
        static let untrusted = Meaning(
            .tls,
            .notSent,
            "The server's certificate is not trusted. Check its authority, or name it in `tls.roots` of CurlTransport."
        )
        static let outdated = Meaning(
            .tls,
            .notSent,
            "The server's certificate has expired or is not valid yet. Check it, and the clock of this machine."
        )
        static let lost = Meaning(
            .connectionLost,
            .unknown,
            "The connection was lost before the response was complete."
        )
        static let notUnderstood = Meaning(.invalidResponse, .unknown, "The server's response could not be understood.")
        static let tooLate = Meaning(.timeout, .unknown, "The transfer timed out.")
    }

    /// Returns the meaning of a text; `nil` if it is unknown.
    static func meaning(of text: String) -> Meaning? {
        let text = text.lowercased()
        return rules.first { rule in rule.parts.contains { text.contains($0) } }?.meaning
    }

    /// Returns whether a text means that the peer or the network ended the connection.
    static func isLoss(_ text: String) -> Bool {
        let meaning = meaning(of: text)
        return meaning == .lost || meaning == .brokenOff
    }

    /// Returns a text without the URL of a proxy, which may contain a password.
    ///
    /// libcurl writes the URL of a proxy that it cannot use in quotation marks, and the end may be cut off.
    static func withoutProxyURL(_ text: String) -> String {
        guard let quote = text.firstIndex(of: "'"), text[..<quote].lowercased().contains("proxy") else { return text }
        return "\(text[..<quote])…"
    }

    /// The rules.
    ///
    /// The first match counts, so specific rules come first.
    private static let rules: [(meaning: Meaning, parts: [String])] = [
        (.unresolved, ["could not resolve", "couldn't resolve", "resolving timed out"]),
        // Failures to read or write over an established secure connection have nothing to do with certificates.
        (
            .lost,
            ["ssl_read", "ssl_write", "ssl read", "ssl write", "close_notify", "gnutls recv", "gnutls send"]
        ),
        // The peer ended the handshake without an alert, as a server does that stops.
        (
            .brokenOff,
            ["ssl_connect:", "unexpected eof", "non-properly terminated", "the pull function", "the push function"]
        ),
        (
            .unreachable,
            [
                "failed to connect", "could not connect", "couldn't connect", "connect fail",
                "connection timed out after", "connection refused",
            ]
        ),
        (.insecure, ["ssl", "tls", "certificate", "schannel"]),
        (
            .lost,
            [
                "transfer closed with", "empty reply", "recv failure", "send failure", "reset by peer", "broken pipe",
                "failure when receiving", "failed sending", "rewind", "partial file",
            ]
        ),
        (
            .notUnderstood,
            [
                "chunk", "hexadecimal", "http/0.9", "unsupported http", "unsupported response", "http version",
                "status line", "header", "weird server reply", "failed writing", "unencoding", "content encoding",
                "content-length", "stream", "nul byte",
                // libcurl's message about a header line that is too long.
                "out of memory",
            ]
        ),
        (.tooLate, ["timed out", "timeout"]),
    ]
}
