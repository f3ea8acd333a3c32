public import Foundation

extension NetKitError {
    /// The response of the server, with the beginning of its body.
    public struct Response: Sendable {
        /// The default for the number of bytes of a body that are kept, 64 KiB.
        public static let defaultMaxBodyBytes = 64 << 10

        /// The status.
        public let status: HTTPStatus
        /// The header fields.
        public let headers: HTTPHeaders
        /// The first part of the body.
        public let body: Data
        /// Whether the body was longer than what is kept.
        public let isTruncated: Bool
        /// The decoding of JSON for the response.
        private(set) var json = JSONCoder.standard
        /// The body as what client or endpoint say an error's body is, if it is that.
        private(set) var decoded: (any Sendable)?

        /// Creates a response.
        public init(status: HTTPStatus, headers: HTTPHeaders, body: Data, isTruncated: Bool = false) {
            self.status = status
            self.headers = headers
            self.body = body
            self.isTruncated = isTruncated
        }

        /// The response with less of its body.
        func prefix(_ limit: Int) -> Response {
            guard body.count > limit else { return self }
            return Response(status: status, headers: headers, body: Data(body.prefix(limit)), isTruncated: true)
        }

        /// The response as one whose body was longer.
        var truncated: Response { Response(status: status, headers: headers, body: body, isTruncated: true) }

        /// The response with its body decoded, if it is of the type.
        func reading(with json: JSONCoder, _ type: (any (Decodable & Sendable).Type)?) -> Response {
            var response = self
            response.json = json
            if let type { response.decoded = try? json.decoder.decode(type, from: body) }
            return response
        }

        /// The first part of the body as text, for logs and messages of your own.
        ///
        /// It may contain private data.
        public func excerpt(upTo limit: Int = 500) -> String {
            let text = String(decoding: body.prefix(limit), as: UTF8.self)
            return body.count > limit || isTruncated ? text + "…" : text
        }
    }

    /// The body of the server's response as a value; `nil` if there is none, or it is something else.
    ///
    /// It is read as the client or the endpoint reads JSON. What they name as `errorBody` is decoded already.
    public func body<Body: Decodable>(as type: Body.Type = Body.self) -> Body? {
        guard let response else { return nil }
        return response.decoded as? Body ?? (try? response.json.decoder.decode(type, from: response.body))
    }
}
