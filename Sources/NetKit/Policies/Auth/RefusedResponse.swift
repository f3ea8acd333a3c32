import Foundation

/// A refusal whose body was read as far as an error keeps one, so that its connection is free.
struct RefusedResponse {
    private let original: HTTPResponse
    let answer: NetKitError.Answer

    /// Reads the body; one that breaks is as good as none, because the status says what matters.
    init(
        reading response: HTTPResponse,
        _ context: RequestContext,
        upTo limit: Int = NetKitError.Answer.defaultMaxBodyBytes
    ) async throws {
        original = response
        var (data, isTruncated) = (Data(), false)
        do {
            (data, isTruncated) = try await context.readingToEnd(of: response.body) {
                try await response.body.prefix(upTo: limit)
            }
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            try context.call.checkStopped()
            isTruncated = true
        }
        answer = NetKitError.Answer(
            status: response.status,
            headers: response.headers,
            body: data,
            isTruncated: isTruncated
        )
    }

    /// The answer as it came; an error where too much of it is gone.
    func response() throws -> HTTPResponse {
        guard !answer.isTruncated else {
            let message = "The server refuses the credential, and there is no other."
            throw NetKitError(.unauthorized, message, outcome: .answered, answer: answer)
        }
        var response = original
        response.body = ResponseBody(answer.body, trailers: original.trailers)
        return response
    }
}
