/// The server for scenarios over the wire.
enum ServerChoice: String, Sendable, CaseIterable {
    /// nginx where it is installed, else the mock server.
    case automatic = "auto"
    case nginx
    case mock
}
