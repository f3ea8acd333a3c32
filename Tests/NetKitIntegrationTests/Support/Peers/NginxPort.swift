/// The services of nginx, each on a port of its own.
enum NginxPort: String, CaseIterable, Sendable {
    /// HTTP/1.1 without TLS.
    case plain
    /// The same, for three requests a connection.
    case plainShort
    /// HTTP/2 without TLS, for clients with prior knowledge.
    case plainHTTP2
    /// HTTP/2 or HTTP/1.1 over TLS 1.2 or 1.3, with the certificate `server`.
    case tls
    /// The same without HTTP/2.
    case tlsHTTP1
    /// HTTP/2 over TLS that sends GOAWAY after three requests.
    case tlsShort
    /// As `tls`, but only in one version of TLS. No current client chooses the first by itself.
    case tls11, tls12, tls13
    /// As `tls`, with another certificate.
    case chained, expired, notYetValid, otherHost, nameOnly, selfSigned, unknownAuthority
    /// With the certificate `chained`, and without the intermediate one that clients need.
    case incompleteChain
    /// With the certificate `server` for clients that ask for `localhost`, and `otherHost` for all others.
    case byName
    /// Responds with 400 to clients without a certificate of the test authority.
    case mutual

    var isTLS: Bool {
        switch self {
        case .plain, .plainShort, .plainHTTP2: false
        default: true
        }
    }

    var speaksHTTP2: Bool {
        switch self {
        case .plain, .plainShort, .tlsHTTP1: false
        default: true
        }
    }

    /// The file names of certificate and key.
    var certificate: (chain: String, key: TestCertificate.Name) {
        switch self {
        case .chained: ("chain.pem", .chained)
        case .incompleteChain: ("chained.pem", .chained)
        case .expired: ("expired.pem", .expired)
        case .notYetValid: ("notYetValid.pem", .notYetValid)
        case .otherHost, .byName: ("otherHost.pem", .otherHost)
        case .nameOnly: ("nameOnly.pem", .nameOnly)
        case .selfSigned: ("selfSigned.pem", .selfSigned)
        case .unknownAuthority: ("unknownAuthority.pem", .unknownAuthority)
        default: ("server.pem", .server)
        }
    }
}
