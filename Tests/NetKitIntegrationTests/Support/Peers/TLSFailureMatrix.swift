/// The expected results of clients with good and bad TLS servers; `TLSFailureMatrixTests` checks them with curl.
enum TLSFailureMatrix {
    static let rows: [TLSRow] = trust + names + clients + versions + pins

    private static let trust = [
        TLSRow(server: .nginx(.tls), outcome: .response(status: 200)),
        TLSRow(server: .nginx(.tls), trust: .system, outcome: .failure(.unknownAuthority)),
        TLSRow(server: .nginx(.tls), trust: .off, outcome: .response(status: 200)),
        TLSRow(server: .nginx(.tlsHTTP1), outcome: .response(status: 200)),
        TLSRow(server: .nginx(.chained), outcome: .response(status: 200)),
        TLSRow(server: .nginx(.incompleteChain), outcome: .failure(.unknownAuthority)),
        TLSRow(server: .nginx(.expired), outcome: .failure(.expired)),
        TLSRow(server: .nginx(.expired), trust: .off, outcome: .response(status: 200)),
        TLSRow(server: .nginx(.notYetValid), outcome: .failure(.notYetValid)),
        TLSRow(server: .nginx(.notYetValid), trust: .off, outcome: .response(status: 200)),
        TLSRow(server: .nginx(.selfSigned), outcome: .failure(.selfSigned)),
        TLSRow(server: .nginx(.selfSigned), trust: .system, outcome: .failure(.selfSigned)),
        TLSRow(server: .nginx(.selfSigned), trust: .off, outcome: .response(status: 200)),
        TLSRow(server: .nginx(.unknownAuthority), outcome: .failure(.unknownAuthority)),
        TLSRow(server: .nginx(.unknownAuthority), trust: .off, outcome: .response(status: 200)),
    ]

    private static let names = [
        TLSRow(server: .nginx(.tls), host: "127.0.0.1", outcome: .response(status: 200)),
        TLSRow(server: .nginx(.tls), host: "other.test", outcome: .failure(.wrongHost)),
        TLSRow(server: .nginx(.otherHost), outcome: .failure(.wrongHost)),
        TLSRow(server: .nginx(.otherHost), host: "other.test", outcome: .response(status: 200)),
        TLSRow(server: .nginx(.otherHost), trust: .off, outcome: .response(status: 200)),
        TLSRow(server: .nginx(.nameOnly), outcome: .response(status: 200)),
        TLSRow(server: .nginx(.nameOnly), host: "127.0.0.1", outcome: .failure(.wrongHost)),
        // The handshake names the host, and an address is no name.
        TLSRow(server: .nginx(.byName), outcome: .response(status: 200)),
        TLSRow(server: .nginx(.byName), host: "127.0.0.1", outcome: .failure(.wrongHost)),
    ]

    private static let clients = [
        TLSRow(server: .nginx(.mutual), outcome: .response(status: 400)),
        TLSRow(server: .nginx(.mutual), identity: .good, outcome: .response(status: 200)),
        TLSRow(server: .nginx(.mutual), identity: .encryptedKey, outcome: .response(status: 200)),
        TLSRow(
            server: .nginx(.mutual),
            identity: .encryptedKeyWrongPassphrase,
            outcome: .failure(.unreadableKey)
        ),
        TLSRow(server: .nginx(.mutual), identity: .unknown, outcome: .response(status: 400)),
        TLSRow(server: .nginx(.mutual), trust: .system, identity: .good, outcome: .failure(.unknownAuthority)),
        TLSRow(server: .alerting(.tls12), outcome: .failure(.noClientCertificate)),
        TLSRow(server: .alerting(.tls12), identity: .good, outcome: .response(status: 200)),
        TLSRow(server: .alerting(.tls12), identity: .encryptedKey, outcome: .response(status: 200)),
        TLSRow(server: .alerting(.tls12), identity: .unknown, outcome: .failure(.clientCertificateRefused)),
        TLSRow(server: .alerting(.tls13), outcome: .failure(.noClientCertificate)),
        TLSRow(server: .alerting(.tls13), identity: .good, outcome: .response(status: 200)),
        TLSRow(server: .alerting(.tls13), identity: .unknown, outcome: .failure(.clientCertificateRefused)),
    ]

    private static let versions = [
        // Without a minimum, curl tries, and fails with a signature that OpenSSL finds too weak.
        TLSRow(server: .nginx(.tls11), minimum: .tls12, outcome: .failure(.protocolVersion)),
        TLSRow(server: .nginx(.tls11), trust: .off, minimum: .tls12, outcome: .failure(.protocolVersion)),
        TLSRow(server: .nginx(.tls12), outcome: .response(status: 200)),
        TLSRow(server: .nginx(.tls12), minimum: .tls12, outcome: .response(status: 200)),
        TLSRow(server: .nginx(.tls12), minimum: .tls13, outcome: .failure(.protocolVersion)),
        // The version counts even without verification.
        TLSRow(server: .nginx(.tls12), trust: .off, minimum: .tls13, outcome: .failure(.protocolVersion)),
        TLSRow(server: .nginx(.tls13), outcome: .response(status: 200)),
        TLSRow(server: .nginx(.tls13), minimum: .tls13, outcome: .response(status: 200)),
        TLSRow(server: .nginx(.tls12), maximum: .tls12, outcome: .response(status: 200)),
        TLSRow(server: .nginx(.tls13), minimum: .tls13, maximum: .tls13, outcome: .response(status: 200)),
        TLSRow(server: .nginx(.tls13), maximum: .tls12, outcome: .failure(.protocolVersion)),
        TLSRow(server: .nginx(.plain), outcome: .failure(.notTLS)),
        TLSRow(server: .nginx(.plain), trust: .off, outcome: .failure(.notTLS)),
    ]

    private static let pins = [
        TLSRow(server: .nginx(.tls), pin: .right, outcome: .response(status: 200)),
        TLSRow(server: .nginx(.tls), pin: .wrong, outcome: .failure(.pinMismatch)),
        TLSRow(server: .nginx(.tls), trust: .off, pin: .right, outcome: .response(status: 200)),
        TLSRow(server: .nginx(.tls), trust: .off, pin: .wrong, outcome: .failure(.pinMismatch)),
        // A good pin makes up for nothing, and the chain is verified first.
        TLSRow(server: .nginx(.tls), trust: .system, pin: .right, outcome: .failure(.unknownAuthority)),
        TLSRow(server: .nginx(.tls), trust: .system, pin: .wrong, outcome: .failure(.unknownAuthority)),
        TLSRow(server: .nginx(.expired), pin: .right, outcome: .failure(.expired)),
        // The pin is of another key than this server's.
        TLSRow(server: .nginx(.chained), pin: .right, outcome: .failure(.pinMismatch)),
    ]
}
