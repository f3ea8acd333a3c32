import Foundation

extension NetKitError.Answer {
    /// Creates an answer from a response and as much of its body as errors keep.
    init(_ response: HTTPResponse, body: Data, upTo limit: Int) {
        self = NetKitError.Answer(status: response.status, headers: response.headers, body: body).prefix(limit)
    }
}
