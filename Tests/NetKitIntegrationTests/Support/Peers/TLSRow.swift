import Foundation
import Testing

/// One combination of a TLS server and a client's settings, and the result.
struct TLSRow: Sendable, CustomTestStringConvertible {
    enum Server: Sendable {
        case nginx(NginxPort)
        /// `AlertingPeer`, which refuses clients in the handshake.
        case alerting(TLSVersion)
    }

    /// The certificates that the client trusts.
    enum Trust: String, Sendable {
        case testAuthority
        /// The system's certificates, without the test authority.
        case system
        /// No verification of chain or name.
        case off
    }

    /// The client certificate.
    enum Identity: String, Sendable {
        case none
        case good
        /// As `good`, with the encrypted key and its passphrase, or a wrong one.
        case encryptedKey, encryptedKeyWrongPassphrase
        /// Signed by an authority that the server does not know.
        case unknown
    }

    enum Pin: String, Sendable {
        case none, right, wrong
    }

    enum Outcome: Equatable, Sendable {
        case response(status: Int)
        case failure(Reason)
    }

    enum Reason: String, CaseIterable, Sendable {
        case expired
        case notYetValid = "not yet valid"
        case wrongHost = "wrong host"
        case selfSigned = "self-signed"
        case unknownAuthority = "unknown authority"
        case noClientCertificate = "no client certificate"
        case clientCertificateRefused = "client certificate refused"
        case unreadableKey = "unreadable key"
        case protocolVersion = "protocol version"
        case pinMismatch = "pin mismatch"
        case notTLS = "not TLS"
    }

    let server: Server
    var trust = Trust.testAuthority
    var identity = Identity.none
    /// The oldest and the newest version of the client. If nil, the client chooses.
    var minimum: TLSVersion?
    var maximum: TLSVersion?
    var pin = Pin.none
    /// The name in the URL. Names other than `localhost` and 127.0.0.1 have to be resolved to 127.0.0.1.
    var host = "localhost"
    let outcome: Outcome

    var testDescription: String {
        var words: [String]
        switch server {
        case .nginx(let port): words = ["nginx \(port)"]
        case .alerting(let version): words = ["alerting \(version)"]
        }
        if trust != .testAuthority { words.append("trust \(trust)") }
        if identity != .none { words.append("identity \(identity)") }
        if let minimum { words.append("from \(minimum)") }
        if let maximum { words.append("up to \(maximum)") }
        if pin != .none { words.append("pin \(pin)") }
        if host != "localhost" { words.append("as \(host)") }
        return words.joined(separator: ", ")
    }

    /// The peer's certificates, and its location.
    func target() async throws -> (certificates: TestCertificates, url: URL) {
        switch server {
        case .nginx(let port):
            let nginx = try await NginxPeer.shared.value
            let place = try nginx.url(port, "/kilobyte", host: host).absoluteString
            // The client tries even if the peer has no TLS.
            let secured = place.replacing(/^http:/, with: "https:")
            return (nginx.certificates, try #require(URL(string: secured)))
        case .alerting(let version):
            let peer = try await AlertingPeer.shared.value
            return (peer.certificates, try peer.url(version, host: host))
        }
    }
}
