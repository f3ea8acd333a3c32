import Foundation

/// What becomes of an answer with an accepted status.
struct ResponseParser<Response: Sendable>: Sendable {
    /// The media type to ask for, if the caller names none.
    let accept: String?
    let parse: @Sendable (HTTPResponse, _ limit: Int, JSONCoder) async throws -> Response
}

extension ResponseParser where Response: Decodable {
    /// `Data` and `String` are the body itself; everything else is JSON.
    static var decoded: ResponseParser {
        ResponseParser(accept: Response.self == Data.self || Response.self == String.self ? nil : "application/json") {
            response,
            limit,
            coder in
            let data = try await response.body.collect(upTo: limit)
            if Response.self == Data.self, let data = data as? Response { return data }
            if Response.self == String.self, let text = String(decoding: data, as: UTF8.self) as? Response {
                return text
            }
            do {
                return try coder.decoder.decode(Response.self, from: data)
            } catch {
                let answer = NetKitError.Answer(status: response.status, headers: response.headers, body: data)
                throw DecodingProblem.error(for: error, expected: Response.self, answer: answer)
            }
        }
    }
}

extension ResponseParser where Response == Void {
    static var ignored: ResponseParser {
        ResponseParser(accept: nil) { response, _, _ in response.body.discard() }
    }
}

extension ResponseParser where Response == HTTPResponse {
    static var whole: ResponseParser {
        ResponseParser(accept: nil) { response, _, _ in response }
    }
}
