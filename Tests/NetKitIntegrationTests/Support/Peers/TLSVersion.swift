/// A version of TLS that current clients support.
enum TLSVersion: String, Sendable {
    case tls12 = "1.2"
    case tls13 = "1.3"
}
