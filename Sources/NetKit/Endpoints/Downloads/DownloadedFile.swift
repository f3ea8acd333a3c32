public import Foundation

/// A file that was downloaded.
public struct DownloadedFile: Sendable {
    /// The location of the file.
    public let url: URL
    /// The answer, whose body is in the file.
    public let response: HTTPResponse
    /// The number of bytes in the file.
    public let byteCount: Int64
    /// The number of bytes that were there before.
    public let resumedFrom: Int64
    /// Its SHA-256 in hexadecimal, where one was expected.
    public let sha256: String?

    /// The status of the answer.
    public var status: HTTPStatus { response.status }
    /// The header fields of the answer.
    public var headers: HTTPHeaders { response.headers }
}
