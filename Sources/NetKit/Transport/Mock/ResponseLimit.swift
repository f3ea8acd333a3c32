/// The end of the time in which a transport expects bytes of a response.
///
/// A transport without connections enforces it itself, so that a test sees the errors of a real server.
package struct ResponseLimit: Sendable {
    package let end: NetKitClock.Instant
    let expiry: IdleTimeout.Expiry

    package var error: NetKitError { expiry.error(outcome: .unknown) }
}

extension RequestContext {
    /// The limit of a response to a request that is sent now; `nil` if there is none, or if the attempt or the call
    /// ends first.
    package var responseLimit: ResponseLimit? {
        let isFirstByte = timeouts.firstByte.map { limit in timeouts.idle.map { limit <= $0 } ?? true } ?? false
        guard let time = isFirstByte ? timeouts.firstByte : timeouts.idle else { return nil }
        let expiry = IdleTimeout.Expiry(phase: isFirstByte ? .firstByte : .idle, limit: time)
        let limit = ResponseLimit(end: clock.now.advanced(by: time), expiry: expiry)
        if let attemptEnd, attemptEnd <= limit.end { return nil }
        if !call.isShared, let deadline, deadline <= limit.end { return nil }
        return limit
    }

    /// Waits for a response that arrives at an instant, or throws the error of a limit that ends before.
    package func waitForResponse(until arrival: NetKitClock.Instant, _ limit: ResponseLimit?) async throws {
        guard let limit, limit.end < arrival else { return try await clock.sleep(until: arrival) }
        try await clock.sleep(until: limit.end)
        throw limit.error
    }
}
