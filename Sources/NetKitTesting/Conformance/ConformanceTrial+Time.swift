import Foundation
import NetKit

extension ConformanceTrial {
    /// Fails the case unless an operation times out, close to the limit.
    ///
    /// The operation is tried up to three times, because a busy machine may delay one of them. A try beside which a
    /// plain sleep was late as well says nothing about the transport, and does not count.
    func timesOut(
        after limit: Duration,
        _ phase: NetKitError.TimeoutPhase,
        outcome: NetKitError.Outcome...,
        in operation: () async throws -> some Any
    ) async throws {
        let bound = limit + .milliseconds(250)
        var shortest = Duration.seconds(1000)
        var tries = 0
        while tries < 3 {
            let start = ContinuousClock.now
            async let control = durationOfSleep(limit)
            let error = try await failure(.timeout, from: operation)
            let took = ContinuousClock.now - start
            try expect("phase", error.timeoutPhase, is: phase)
            try expect("an outcome that fits", outcome.contains(error.outcome), seen: "\(error)")
            try expect("not before \(limit)", took >= limit - .milliseconds(5), seen: "an end after \(took)")
            if took < bound { return }
            shortest = min(shortest, took)
            if try await control < limit + .milliseconds(50) { tries += 1 }
        }
        throw ConformanceFailure.broken(
            expected: "an end after \(limit)",
            seen: "an end after \(shortest), while a sleep ended on time"
        )
    }

    private func durationOfSleep(_ duration: Duration) async throws -> Duration {
        let start = ContinuousClock.now
        try await pause(duration)
        return ContinuousClock.now - start
    }

    /// Tries an operation up to three times, for promises that a busy machine can seem to break.
    func atBestOfThree(_ operation: () async throws -> Void) async throws {
        for _ in 0..<2 {
            if (try? await operation()) != nil { return }
        }
        try await operation()
    }

    /// Starts an operation, cancels it at a certain point, and fails the case unless it ends promptly with
    /// `CancellationError` and the transport ends its exchange.
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
            // A cancelled call does not wait for its transport.
            return try await wait(for: "the end of the exchange", upTo: .seconds(2)) { exchangeCount <= max(0, others) }
        case .failure(let error): seen = Self.text(of: error)
        case .success(let value): seen = "success: \(Self.text(of: value))"
        }
        throw ConformanceFailure.broken(expected: "CancellationError", seen: seen)
    }

    /// Waits in real time, for events that must not happen or for bytes to arrive.
    func pause(_ duration: Duration) async throws {
        try await NetKitClock.system.sleep(for: duration)
    }

    /// Waits until a condition holds, and fails the case after a time limit.
    func wait(for expected: String, upTo limit: Duration = .seconds(4), until holds: () -> Bool) async throws {
        let end = ContinuousClock.now + limit
        while !holds() {
            try expect(expected, ContinuousClock.now < end, seen: "nothing of the kind within \(limit)")
            try await pause(.milliseconds(5))
        }
    }
}

/// An interceptor that counts the running exchanges.
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
