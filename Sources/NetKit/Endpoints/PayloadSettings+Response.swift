extension PayloadSettings {
    /// Returns the response of a send, or throws `.server` if its status is not accepted.
    ///
    /// If the response exceeds the size limit, its status still counts, because the refusal matters more than its body.
    /// If the body would not be read, the response has none. That holds only for the response to this request. If the
    /// server does not know the path, the error may have advice.
    func response(
        accepting accepted: AcceptedStatuses,
        path: RequestPath? = nil,
        discardsBody: (HTTPStatus) -> Bool = { _ in false },
        from send: () async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        let response: HTTPResponse
        do {
            response = try await send()
        } catch let error as NetKitError {
            guard error.code == .bodyTooLarge, !error.isOfOtherRequest, let response = error.response else {
                throw error
            }
            if accepted.contains(response.status) {
                guard discardsBody(response.status) else { throw error }
                return HTTPResponse(withoutBodyOf: response, error)
            }
            let kept = response.truncated(to: maxErrorBodyBytes)
            throw self.error(for: kept, after: error.history, timings: error.timings)
                .attaching(requestLine: error.requestLine ?? "", attempts: error.attempts, attemptLog: error.attemptLog)
        }
        do {
            return try await response.checkingStatus(accepting: accepted, settings: self)
        } catch let error as NetKitError {
            guard error.code == .server, error.status == .notFound, let hint = path?.hint else { throw error }
            throw error.adding(hint)
        }
    }

    fileprivate func error(
        for response: NetKitError.Response,
        after hops: [RedirectHop],
        timings: ExchangeTimings?
    ) -> NetKitError {
        let response = response.decodingBody(as: errorBody, with: json)
        let isLost = [301, 302, 303, 307, 308].contains(response.status.code) && response.headers["Location"] == nil
        let hint = isLost ? ", but the response has no Location to go to" : APIProblem(response)?.summary ?? ""
        return NetKitError(
            .server,
            "The server responded with \(response.status)\(hint).",
            outcome: .answered,
            cause: response.decoded as? any Error,
            response: response,
            timings: timings
        )
        .adding(redirects: hops)
    }
}

extension HTTPResponse {
    /// Returns the response if its status is accepted, or throws `.server` with the first part of the body.
    func checkingStatus(
        accepting accepted: AcceptedStatuses = .successful,
        settings: PayloadSettings
    ) async throws -> HTTPResponse {
        guard !accepted.contains(status) else { return self }
        throw try await statusError(settings: settings)
    }

    /// Reads the first part of the body, and returns the error for the status.
    func statusError(settings: PayloadSettings) async throws -> any Error {
        let (data, isTruncated) = try await body.prefix(
            upTo: settings.maxErrorBodyBytes,
            within: Timeouts.standard.refusalBody,
            on: settings.clock
        )
        let response = NetKitError.Response(status: status, headers: headers, body: data, isTruncated: isTruncated)
        return body.translated(settings.error(for: response, after: history, timings: timings))
    }
}

extension HTTPResponse {
    /// Creates a response from an error about its body.
    fileprivate init(withoutBodyOf response: NetKitError.Response, _ error: NetKitError) {
        self.init(
            status: response.status,
            headers: response.headers,
            url: error.responseURL,
            history: error.history,
            timings: error.timings ?? ExchangeTimings()
        )
        attemptLog = error.attemptLog
    }
}
