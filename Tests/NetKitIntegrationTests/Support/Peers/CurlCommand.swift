import Foundation

/// The command `curl`, as a client for the peers.
struct CurlCommand: Sendable {
    /// The result of one run.
    struct Result: Sendable {
        /// One of the exit codes of curl(1).
        let status: Int32
        /// The output: the body, or the error.
        let output: String
    }

    /// Runs it without the configuration of this machine or user, and for ten seconds at most.
    static func run(_ arguments: [String]) async throws -> Result {
        let own = ["--disable", "--silent", "--show-error", "--max-time", "10"]
        let direct = arguments.contains("--proxy") ? [] : ["--noproxy", "*"]
        let hidden: Set = ["CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR", "NO_PROXY", "no_proxy"]
        let result = try await Peer.curl.required().run(own + direct + arguments, without: hidden)
        return Result(status: result.status, output: result.output)
    }

    static func run(_ arguments: String..., url: URL) async throws -> Result {
        try await run(arguments + [url.absoluteString])
    }

    /// Makes the request of a row.
    static func outcome(of row: TLSRow) async throws -> TLSRow.Outcome {
        let (certificates, url) = try await row.target()
        var arguments = ["--output", "-", "--write-out", "\nstatus %{http_code}"]
        switch row.trust {
        case .testAuthority: arguments += ["--cacert", certificates.authority.path()]
        case .system: break
        case .off: arguments += ["--insecure"]
        }
        arguments += identity(row.identity, certificates)
        if let minimum = row.minimum { arguments += ["--tlsv\(minimum.rawValue)"] }
        if let maximum = row.maximum { arguments += ["--tls-max", maximum.rawValue] }
        switch row.pin {
        case .none: break
        case .right: arguments += ["--pinnedpubkey", certificates.pin]
        case .wrong: arguments += ["--pinnedpubkey", certificates.otherPin]
        }
        arguments += ["--resolve", "\(row.host):\(url.port ?? 0):127.0.0.1", url.absoluteString]
        let result = try await run(arguments)
        guard result.status != 0 else {
            return .response(status: Int(result.output.suffix(3)) ?? 0)
        }
        guard let reason = reason(result) else { throw PeerError("curl: \(result.status) \(result.output)") }
        return .failure(reason)
    }

    private static func identity(_ identity: TLSRow.Identity, _ certificates: TestCertificates) -> [String] {
        let own = ["--cert", certificates.certificate(.client).path()]
        let encrypted = own + ["--key", certificates.encryptedClientKey.path(), "--pass"]
        return switch identity {
        case .none: []
        case .good: own + ["--key", certificates.key(.client).path()]
        case .encryptedKey: encrypted + [TestCertificates.passphrase]
        case .encryptedKeyWrongPassphrase: encrypted + ["not \(TestCertificates.passphrase)"]
        case .unknown:
            ["--cert", certificates.certificate(.otherClient).path(), "--key", certificates.key(.otherClient).path()]
        }
    }

    /// The messages of OpenSSL and curl for each reason, with curl's exit code for it.
    private static let wordings: [(Int32, String, TLSRow.Reason)] = [
        (60, "certificate has expired", .expired),
        (60, "certificate is not yet valid", .notYetValid),
        (60, "no alternative certificate subject name matches", .wrongHost),
        (60, "unable to get local issuer certificate", .unknownAuthority),
        (60, "self-signed certificate", .selfSigned),
        (60, "self signed certificate", .selfSigned),
        (35, "handshake failure", .noClientCertificate),
        (56, "certificate required", .noClientCertificate),
        (35, "alert unknown ca", .clientCertificateRefused),
        (56, "alert unknown ca", .clientCertificateRefused),
        (58, "", .unreadableKey),
        (35, "protocol version", .protocolVersion),
        (35, "unsupported protocol", .protocolVersion),
        (35, "wrong version number", .notTLS),
        (90, "", .pinMismatch),
    ]

    private static func reason(_ result: Result) -> TLSRow.Reason? {
        let text = result.output.lowercased()
        return wordings.first { $0.0 == result.status && ($0.1.isEmpty || text.contains($0.1)) }?.2
    }
}
