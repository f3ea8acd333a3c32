#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl

    /// Why a secure connection did not come about, out of the words of the TLS library.
    enum CurlTLSReason {
        private static let rules: [(parts: [String], reason: String)] = [
            (["pinned public key", "pinned"], "the server's public key is none of those that are pinned"),
            (["certificate has expired"], "the certificate has expired"),
            (["not yet valid"], "the certificate is not valid yet"),
            (["subject name", "does not match", "no alternative"], "the certificate is for another host"),
            (
                ["self-signed certificate in certificate chain", "self signed certificate in certificate chain"],
                "the certificate is from an authority that is not trusted"
            ),
            (["self-signed certificate", "self signed certificate"], "the certificate is self-signed"),
            (
                ["unable to get local issuer", "unable to get issuer", "unable to verify the first"],
                "the certificate is from an authority that is not trusted"
            ),
            (
                ["certificate required", "bad certificate", "handshake failure", "unknown ca"],
                "the server refuses the client's certificate, or wants one"
            ),
            (
                ["wrong version number", "packet length too long", "http request"],
                "the server speaks no TLS there"
            ),
            (
                ["ssl_error_syscall", "unexpected eof while reading"],
                "the server closed the connection while TLS was being negotiated"
            ),
            (
                ["protocol version", "unsupported protocol", "version too low", "no protocols"],
                "client and server have no version of TLS in common"
            ),
        ]

        /// The reason behind a colon; empty where the words tell nothing.
        static func text(of text: String, code: Int) -> String {
            let lowered = text.lowercased()
            if code == NK_CURLE_SSL_CERTPROBLEM { return ": the client's certificate or key cannot be used" }
            guard let rule = rules.first(where: { rule in rule.parts.contains { lowered.contains($0) } }) else {
                return ""
            }
            return ": \(rule.reason)"
        }

        /// Whether a server refused the client behind the handshake, as TLS 1.3 has it.
        static func isRefusal(_ text: String) -> Bool {
            let lowered = text.lowercased()
            return lowered.contains("alert") && (lowered.contains("ssl") || lowered.contains("tls"))
        }
    }
#endif
