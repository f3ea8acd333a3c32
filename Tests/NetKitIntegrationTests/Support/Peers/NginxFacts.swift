/// The report of nginx at `/facts` about the request and its connection.
struct NginxFacts: Decodable, Equatable, Sendable {
    let method: String
    /// `HTTP/1.1` or `HTTP/2.0`.
    let version: String
    /// The number of the connection, and of the request on it.
    let connection: Int
    let request: Int
    /// The version, such as `TLSv1.3`; empty without TLS, as are the following ones.
    let tls: String
    /// The name in the client's handshake.
    let serverName: String
    /// `SUCCESS` if the client has sent a certificate that is requested and valid, else `NONE` or the reason.
    let verified: String
    /// The subject of that certificate.
    let client: String
    /// `r` if a TLS session was resumed, `.` if not.
    let session: String

    /// One line in the configuration, one line in the response.
    static let template = #"""
        {"method":"$request_method","version":"$server_protocol","connection":$connection,\#
        "request":$connection_requests,"tls":"$ssl_protocol","serverName":"$ssl_server_name",\#
        "verified":"$ssl_client_verify","client":"$ssl_client_s_dn","session":"$ssl_session_reused"}\n
        """#
}
