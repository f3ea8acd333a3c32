public import Foundation

/// The rules for a download: overwriting, the expected content, and resuming.
public struct DownloadRules: Sendable {
    /// The rule for a file of the same name.
    public struct ExistingFile: Sendable, Hashable {
        enum Kind: Sendable { case standard, replace, number, refuse }

        let kind: Kind

        /// A named file is replaced.
        ///
        /// In a folder, the new file gets a number.
        public static let standard = ExistingFile(kind: .standard)
        /// The file is replaced.
        public static let replace = ExistingFile(kind: .replace)
        /// The new file gets a number: `report (1).pdf`.
        public static let number = ExistingFile(kind: .number)
        /// The download ends with `.file`, and the file stays as it is.
        public static let refuse = ExistingFile(kind: .refuse)
    }

    /// The rule for a file of the same name.
    public var existingFile: ExistingFile
    /// Whether a partial file is kept after an interruption, so that a later call continues it, even in another
    /// process.
    ///
    /// A file beside the destination then holds the part, and only one download of the URL to the destination can run
    /// at a time. The part of one login is not continued under another: name logins with `identity:`, as in
    /// ``TokenStore``. The part of a login without a name, such as a credential in `headers`, is continued only if the
    /// server sent an `ETag`. An interceptor of yours that does not declare its header fields counts as such a login.
    /// A file that another user has placed there is never continued.
    public var isResumable: Bool
    /// The number of bytes that the file must have.
    public var expectedSize: Int64?
    /// The SHA-256 that the file must have, in hexadecimal.
    public var expectedSHA256: String?
    /// The number of times that an interrupted transfer continues within the call, the delays, and the statuses and
    /// errors after which it continues.
    ///
    /// If an open circuit or a limit of the client refuses an attempt, the next one is not made before the time that
    /// the refusal names.
    ///
    /// The policy's `retryableMethods`, `maxElapsed` and `shouldRetry` have no effect; a `timeout` limits the download.
    /// An error of the disk always ends the call. Each request of the download is also repeated as the policy of the
    /// client or of the call says.
    public var retry: RetryPolicy

    /// Creates rules.
    public init(
        existingFile: ExistingFile = .standard,
        isResumable: Bool = false,
        expectedSize: Int64? = nil,
        expectedSHA256: String? = nil,
        retry: RetryPolicy = .standard
    ) {
        (self.existingFile, self.isResumable, self.retry) = (existingFile, isResumable, retry)
        (self.expectedSize, self.expectedSHA256) = (expectedSize, expectedSHA256)
    }
}

/// A file that was downloaded.
public struct DownloadedFile: Sendable {
    /// The location of the file.
    public let url: URL
    /// The response, whose body is in the file.
    public let response: HTTPResponse
    /// The number of bytes in the file.
    public let byteCount: Int64
    /// The number of bytes from an earlier call.
    public let resumedFrom: Int64
    /// The SHA-256 of the file in hexadecimal, if one was expected.
    public let sha256: String?

    /// The status of the response.
    public var status: HTTPStatus { response.status }
    /// The header fields of the response.
    public var headers: HTTPHeaders { response.headers }
}
