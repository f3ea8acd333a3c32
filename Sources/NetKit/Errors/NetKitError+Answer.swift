public import Foundation

extension NetKitError {
    /// The response of the server, with the beginning of its body.
    public struct Answer: Sendable {
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
        /// The body as what client or endpoint say an error's body is, where it is that.
        private(set) var decoded: (any Sendable)?

        /// Makes an answer.
        public init(status: HTTPStatus, headers: HTTPHeaders, body: Data, isTruncated: Bool = false) {
            self.status = status
            self.headers = headers
            self.body = body
            self.isTruncated = isTruncated
        }

        /// The answer with less of its body.
        func prefix(_ limit: Int) -> Answer {
            guard body.count > limit else { return self }
            return Answer(status: status, headers: headers, body: Data(body.prefix(limit)), isTruncated: true)
        }

        /// The answer as one whose body was longer.
        var truncated: Answer { Answer(status: status, headers: headers, body: body, isTruncated: true) }

        /// The answer with its body decoded, where it is of the type.
        func reading(with json: JSONCoder, _ type: (any (Decodable & Sendable).Type)?) -> Answer {
            var answer = self
            answer.json = json
            if let type { answer.decoded = try? json.decoder.decode(type, from: body) }
            return answer
        }

        /// The first part of the body as text, for logs and messages of your own; it may hold what is nobody's business.
        public func excerpt(upTo limit: Int = 500) -> String {
            let text = String(decoding: body.prefix(limit), as: UTF8.self)
            return body.count > limit || isTruncated ? text + "…" : text
        }
    }

    /// The body of the server's answer as a value; nil where there is none, or it is something else.
    ///
    /// It is read as the client or the endpoint reads JSON. What they name as `errorBody` is decoded already.
    public func body<Body: Decodable>(as type: Body.Type = Body.self) -> Body? {
        guard let answer else { return nil }
        return answer.decoded as? Body ?? (try? answer.json.decoder.decode(type, from: answer.body))
    }
}
