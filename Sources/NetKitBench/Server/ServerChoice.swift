/// The server for scenarios over the wire.
enum ServerChoice: String, Sendable, CaseIterable {
    /// nginx if it is installed, or else the mock server.
    case automatic = "auto"
    case nginx
    case mock
}
