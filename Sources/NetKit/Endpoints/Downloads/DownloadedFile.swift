public import Foundation

/// A file that was downloaded.
public struct DownloadedFile: Sendable {
    /// Where it is.
    public let url: URL
    /// The answer, whose body is in the file.
    public let response: HTTPResponse
    /// How many bytes it has.
    public let byteCount: Int64
    /// How many of them were there from before.
    public let resumedFrom: Int64
    /// Its SHA-256 in hexadecimal, where one was expected.
    public let sha256: String?

    /// The status of the answer.
    public var status: HTTPStatus { response.status }
    /// The header fields of the answer.
    public var headers: HTTPHeaders { response.headers }
}
