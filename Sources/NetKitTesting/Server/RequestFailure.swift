/// Why a request was not read.
enum RequestFailure: Error {
    /// The connection ended.
    case connectionEnded
    /// The bytes are no HTTP request; the reason goes into the 400 that answers it.
    case malformed(String)
}
