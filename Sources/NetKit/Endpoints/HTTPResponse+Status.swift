import Foundation

extension HTTPResponse {
    /// The response where its status is one of those accepted, else `.server` with the first part of the body.
    func checkingStatus(
        accepting accepted: AcceptedStatuses = .successful,
        settings: PayloadSettings
    ) async throws -> HTTPResponse {
        guard !accepted.contains(status) else { return self }
        let (data, isTruncated) = try await body.prefix(upTo: settings.maxErrorBodyBytes)
        let answer = NetKitError.Answer(status: status, headers: headers, body: data, isTruncated: isTruncated)
        throw body.translated(settings.error(for: answer, timings: timings))
    }
}

extension PayloadSettings {
    /// Sends, and throws `.server` for an answer whose status is not accepted.
    ///
    /// An answer that is too large for the bound keeps its status: what matters about a refusal is that it is one.
    func judging(
        _ accepted: AcceptedStatuses = .successful,
        _ send: () async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        let response: HTTPResponse
        do {
            response = try await send()
        } catch let error as NetKitError {
            guard error.code == .bodyTooLarge, let answer = error.answer, !accepted.contains(answer.status) else {
                throw error
            }
            throw self.error(for: answer.prefix(maxErrorBodyBytes), timings: error.timings)
                .attaching(
                    requestLine: error.requestLine ?? "",
                    attempts: error.attempts,
                    attemptLog: error.attemptLog
                )
        }
        return try await response.checkingStatus(accepting: accepted, settings: self)
    }

    fileprivate func error(for answer: NetKitError.Answer, timings: ExchangeTimings?) -> NetKitError {
        let answer = answer.reading(with: json, errorBody)
        return NetKitError(
            .server,
            "The server answered \(answer.status).",
            outcome: .answered,
            cause: answer.decoded as? any Error,
            answer: answer,
            timings: timings
        )
    }
}
