/// A version of TLS that today's clients speak.
enum TLSVersion: String, Sendable {
    case tls12 = "1.2"
    case tls13 = "1.3"
}
