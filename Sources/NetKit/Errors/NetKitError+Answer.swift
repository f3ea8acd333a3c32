public import Foundation

extension NetKitError {
    /// What the server answered, as far as it was kept: the body is there up to a bound.
    public struct Answer: Sendable {
        /// The status.
        public let status: HTTPStatus
        /// The header fields.
        public let headers: HTTPHeaders
        /// The first part of the body.
        public let body: Data
        /// Whether the body was longer than what is kept.
        public let isTruncated: Bool

        /// Makes an answer.
        public init(status: HTTPStatus, headers: HTTPHeaders, body: Data, isTruncated: Bool = false) {
            self.status = status
            self.headers = headers
            self.body = body
            self.isTruncated = isTruncated
        }
    }
}
