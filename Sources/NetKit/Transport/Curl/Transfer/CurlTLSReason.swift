#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl

    /// The reasons why a secure connection failed, found in the text of the TLS library.
    enum CurlTLSReason {
        private static let clientRefusals = [
            "certificate required", "bad certificate", "unsupported certificate", "certificate revoked",
            "certificate expired", "certificate unknown", "access denied", "handshake failure", "unknown ca",
        ]

        private static let rules: [(parts: [String], reason: String)] = [
            (["certificate has expired"], "the certificate has expired"),
            (["not yet valid"], "the certificate is not valid yet"),
            (["subject name", "does not match", "no alternative"], "the certificate is for another host"),
            (
                ["self-signed certificate in certificate chain", "self signed certificate in certificate chain"],
                "the certificate is from an authority that is not trusted; `tls.roots` names authorities to trust"
            ),
            (
                ["self-signed certificate", "self signed certificate"],
                "the certificate is self-signed; to trust it, add it to `tls.roots`"
            ),
            (
                ["unable to get local issuer", "unable to get issuer", "unable to verify the first"],
                "the certificate is from an authority that is not trusted; `tls.roots` names authorities to trust"
            ),
            (["certificate purpose"], "the certificate is not meant for servers"),
            (["unrecognized name"], "the server does not know this host name"),
            (
                ["wrong version number", "packet length too long", "http request"],
                "the server does not use TLS on this port"
            ),
            (
                ["protocol version", "unsupported protocol", "version too low", "no protocols"],
                "client and server have no version of TLS in common"
            ),
        ]

        /// Returns the reason after a colon; empty if the text gives none.
        static func text(of text: String, code: Int) -> String {
            let lowered = text.lowercased()
            if code == NK_CURLE_SSL_CERTPROBLEM { return ": the client's certificate or key cannot be used" }
            if code == NK_CURLE_SSL_CACERT_BADFILE {
                return ": the file of the trusted authorities cannot be read; install the package "
                    + "`ca-certificates`, or name another file in `tls.roots` or `SSL_CERT_FILE`"
            }
            if code == NK_CURLE_SSL_PINNEDPUBKEYNOTMATCH { return ": the server's public key matches none of the pins" }
            if refusesClient(text) {
                let reason = ": the server rejected the client's certificate, or requires one"
                let isVague = lowered.contains("handshake failure")
                return isVague ? "\(reason), or does not accept the client's ciphers or the host name" : reason
            }
            let rule = rules.first { rule in rule.parts.contains { lowered.contains($0) } }
            return rule.map { ": \($0.reason)" } ?? ""
        }

        /// Returns the text of an alert in words that the rules know (RFC 8446, section 6); `nil` for no alert.
        static func alert(_ description: Int32) -> String? {
            guard description >= 0 else { return nil }
            if description == NK_TLS_UNREAD_ALERT {
                return "TLS alert that was not read: certificate required or refused"
            }
            let names: [Int32: String] = [
                20: "bad record mac", 40: "handshake failure", 42: "bad certificate", 43: "unsupported certificate",
                44: "certificate revoked", 45: "certificate expired", 46: "certificate unknown",
                47: "illegal parameter",
                48: "unknown ca", 49: "access denied", 51: "decrypt error", 70: "protocol version",
                71: "insufficient security", 80: "internal error", 112: "unrecognized name",
                116: "certificate required", 120: "no application protocol",
            ]
            return "TLS alert \(description)" + (names[description].map { ": \($0)" } ?? "")
        }

        /// Returns whether a server refused the client itself, and so accepted nothing that the client sent.
        static func refusesClient(_ text: String) -> Bool {
            let lowered = text.lowercased()
            return lowered.contains("alert") && clientRefusals.contains { lowered.contains($0) }
        }

        /// Returns whether a server refused the client after the handshake, as in TLS 1.3.
        static func isRefusal(_ text: String) -> Bool {
            let lowered = text.lowercased()
            return lowered.contains("alert") && (lowered.contains("ssl") || lowered.contains("tls"))
        }
    }
#endif
