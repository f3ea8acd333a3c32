/// What nginx says at `/facts` about the request and its connection.
struct NginxFacts: Decodable, Equatable, Sendable {
    let method: String
    /// `HTTP/1.1` or `HTTP/2.0`.
    let version: String
    /// The number of the connection, and of the request on it.
    let connection: Int
    let request: Int
    /// `TLSv1.3`, say; empty in the clear, as is what follows.
    let tls: String
    /// The name that the client asked for in the handshake.
    let serverName: String
    /// `SUCCESS` where the client has shown a certificate that is asked for and good, else `NONE` or why not.
    let verified: String
    /// Whom that certificate is for.
    let client: String
    /// `r` where a TLS session was taken up again, `.` where not.
    let session: String

    /// One line in the configuration, one line in the answer.
    static let template = #"""
        {"method":"$request_method","version":"$server_protocol","connection":$connection,\#
        "request":$connection_requests,"tls":"$ssl_protocol","serverName":"$ssl_server_name",\#
        "verified":"$ssl_client_verify","client":"$ssl_client_s_dn","session":"$ssl_session_reused"}\n
        """#
}
