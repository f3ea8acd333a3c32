import Foundation
import NetKit

extension ConformanceTrial {
    /// Breaks the case off unless an operation fails by a limit, and close to it.
    ///
    /// Tried up to three times: a busy machine may hold one up, a limit that is not kept holds up all.
    func timesOut(
        after limit: Duration,
        _ phase: NetKitError.TimeoutPhase,
        outcome: NetKitError.Outcome...,
        in operation: () async throws -> some Any
    ) async throws {
        var shortest = Duration.seconds(1000)
        for _ in 0..<3 {
            let start = ContinuousClock.now
            let error = try await failure(.timeout, from: operation)
            let took = ContinuousClock.now - start
            try expect("phase", error.timeoutPhase, is: phase)
            try expect("an outcome that fits", outcome.contains(error.outcome), seen: "\(error)")
            try expect("not before \(limit)", took >= limit - .milliseconds(5), seen: "an end after \(took)")
            shortest = min(shortest, took)
            if took < limit + .milliseconds(250) { return }
        }
        throw ConformanceFailure.broken(expected: "an end after \(limit)", seen: "an end after \(shortest)")
    }

    /// Tries something up to three times, for promises that a busy machine can seem to break.
    func atBestOfThree(_ operation: () async throws -> Void) async throws {
        for _ in 0..<2 {
            if (try? await operation()) != nil { return }
        }
        try await operation()
    }

    /// Starts an operation, cancels it once it has come as far as it is to come, and breaks the case off unless it ends
    /// promptly with `CancellationError`, and the transport ends its exchange.
    func cancels(
        when isReady: () async throws -> Void,
        _ operation: @escaping @Sendable () async throws -> some Sendable
    ) async throws {
        let task = Task { try await operation() }
        do {
            try await isReady()
        } catch {
            task.cancel()
            throw error
        }
        let others = exchangeCount - 1
        let start = ContinuousClock.now
        task.cancel()
        let seen: String
        switch await task.result {
        case .failure(is CancellationError):
            let took = ContinuousClock.now - start
            try expect("a prompt end", took < .seconds(2), seen: "an end \(took) after the cancellation")
            // A call leaves a transport behind that does not end by itself.
            return try await wait(for: "the end of the exchange", upTo: .seconds(2)) { exchangeCount <= max(0, others) }
        case .failure(let error): seen = Self.text(of: error)
        case .success(let value): seen = "success: \(Self.text(of: value))"
        }
        throw ConformanceFailure.broken(expected: "CancellationError", seen: seen)
    }

    /// Waits on the real clock: for things that must not happen, and for bytes to be on their way.
    func pause(_ duration: Duration) async throws {
        try await NetKitClock.system.sleep(for: duration)
    }

    /// Waits until something holds, and breaks the case off where it does not for too long.
    func wait(for expected: String, upTo limit: Duration = .seconds(4), until holds: () -> Bool) async throws {
        let end = ContinuousClock.now + limit
        while !holds() {
            try expect(expected, ContinuousClock.now < end, seen: "nothing of the kind within \(limit)")
            try await pause(.milliseconds(5))
        }
    }
}

/// Counts the exchanges behind it.
final class ExchangeWatch: Interceptor {
    private let running = Locked(0)

    let stage = Stage.wire

    var count: Int { running.withLock { $0 } }

    func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        running.withLock { $0 += 1 }
        defer { running.withLock { $0 -= 1 } }
        return try await next(request, context)
    }
}
