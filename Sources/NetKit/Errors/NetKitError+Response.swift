public import Foundation

extension NetKitError {
    /// The response of the server, with the beginning of its body.
    public struct Response: Sendable {
        /// The default maximum number of bytes of a body that are kept, 64 KiB.
        public static let defaultMaxBodyBytes = 64 << 10

        /// The status.
        public let status: HTTPStatus
        /// The header fields.
        public let headers: HTTPHeaders
        /// The first part of the body.
        public let body: Data
        /// Whether the body was longer than the part that is kept, or took too long.
        public let isTruncated: Bool
        /// The coder for JSON in the response.
        private(set) var json = JSONCoder.standard
        /// The body as the error type that the client or the endpoint names, if it is of that type.
        private(set) var decoded: (any Sendable)?

        /// Creates a response.
        public init(status: HTTPStatus, headers: HTTPHeaders, body: Data, isTruncated: Bool = false) {
            self.status = status
            self.headers = headers
            self.body = body
            self.isTruncated = isTruncated
        }

        /// Returns the response with at most the first bytes of its body.
        func truncated(to limit: Int) -> Response {
            let limit = max(0, limit)
            guard body.count > limit else { return self }
            return Response(status: status, headers: headers, body: Data(body.prefix(limit)), isTruncated: true)
        }

        /// The response, marked as truncated.
        var truncated: Response { Response(status: status, headers: headers, body: body, isTruncated: true) }

        /// Returns the response with its body decoded, if it is of the type.
        func decodingBody(as type: (any (Decodable & Sendable).Type)?, with json: JSONCoder) -> Response {
            var response = self
            response.json = json
            if let type { response.decoded = try? json.decoder.read(type, of: body) }
            return response
        }

        /// Returns the first part of the body as text, for logs and messages of your own.
        ///
        /// It may contain private data. A limit below zero counts as zero.
        public func excerpt(upTo limit: Int = 500) -> String {
            let limit = max(0, limit)
            let text = String(decoding: body.prefix(limit), as: UTF8.self)
            return body.count > limit || isTruncated ? text + "…" : text
        }
    }

    /// Returns the body of the server's response as a value; `nil` if there is none, or it is of another type.
    ///
    /// The coder is that of the client or the endpoint. A body of their `errorBody` type is decoded already.
    public func body<Body: Decodable>(as type: Body.Type = Body.self) -> Body? {
        guard let response else { return nil }
        return response.decoded as? Body ?? (try? response.json.decoder.read(type, of: response.body))
    }
}
