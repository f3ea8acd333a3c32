import Foundation
import NetKit

extension ConformanceTrial {
    /// Fails the case unless an operation times out, close to the limit.
    func timesOut(
        after limit: Duration,
        _ phase: NetKitError.TimeoutPhase,
        outcome: NetKitError.Outcome...,
        in operation: () async throws -> some Any
    ) async throws {
        try await repeatWhileTheMachineIsLate {
            let start = ContinuousClock.now
            let error = try await failure(.timeout, from: operation)
            let took = ContinuousClock.now - start
            try expect("phase", error.timeoutPhase, is: phase)
            try expect("not before \(limit)", took >= limit - .milliseconds(5), seen: "an end after \(took)")
            return Result {
                try expect("an outcome that fits", outcome.contains(error.outcome), seen: "\(error)")
                try expect("an end after \(limit)", took < limit + .milliseconds(250), seen: "an end after \(took)")
            }
        }
    }

    /// Tries an operation again if it fails, for promises that a busy machine can seem to break.
    func atBestOfThree(_ operation: () async throws -> Void) async throws {
        try await repeatWhileTheMachineIsLate { await Result.catching(operation) }
    }

    /// Tries an operation until it succeeds, has failed three times, or has been tried thirty times.
    ///
    /// A failure during which a short sleep ended late does not count, because the machine may be its cause. An error
    /// that the operation throws cannot be caused by a late machine, and ends the case.
    private func repeatWhileTheMachineIsLate(
        _ operation: () async throws -> Result<Void, any Error>
    ) async throws {
        var failures = 0
        for attempt in 1... {
            let delay = measureDelays()
            defer { delay.cancel() }
            // A hanging case is cancelled, and never reaches `defer`.
            let result = try await withTaskCancellationHandler {
                try await operation()
            } onCancel: {
                delay.cancel()
            }
            delay.cancel()
            if case .success = result { return }
            if await delay.value < .milliseconds(50) { failures += 1 }
            if failures == 3 || attempt == 30 { return try result.get() }
        }
    }

    /// Returns a task that measures, until it is cancelled, by how much the latest of many short sleeps is late.
    private func measureDelays() -> Task<Duration, Never> {
        // The task itself may begin late.
        let begun = ContinuousClock.now
        return Task {
            let interval = Duration.milliseconds(10)
            var (start, longest) = (begun, Duration.zero)
            repeat {
                try? await pause(interval)
                let now = ContinuousClock.now
                longest = max(longest, now - start - interval)
                start = now
            } while !Task.isCancelled
            return longest
        }
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
        let delay = measureDelays()
        defer { delay.cancel() }
        let start = ContinuousClock.now
        task.cancel()
        let seen: String
        switch await withTaskCancellationHandler(operation: { await task.result }, onCancel: { delay.cancel() }) {
        case .failure(is CancellationError):
            let took = ContinuousClock.now - start
            delay.cancel()
            let isPrompt = took - (await delay.value) < .seconds(2)
            try expect("a prompt end", isPrompt, seen: "an end \(took) after the cancellation")
            // A cancelled call does not wait for its transport.
            return try await wait(for: "the end of the exchange", upTo: .seconds(2)) { exchangeCount <= max(0, others) }
        case .failure(let error): seen = ConformanceFailure.text(of: error)
        case .success(let value): seen = "success: \(ConformanceFailure.text(of: value))"
        }
        throw ConformanceFailure.broken(expected: "CancellationError", seen: seen)
    }

    /// Waits in real time, for events that must not happen or for bytes to arrive.
    func pause(_ duration: Duration) async throws {
        try await NetKitClock.system.sleep(for: duration)
    }
}

/// An interceptor that counts the running exchanges.
final class ExchangeCounter: Interceptor {
    private let running = Locked(0)

    let stage = Stage.wire

    var count: Int { running.withLock { $0 } }

    func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        running.withLock { $0 += 1 }
        defer { running.withLock { $0 -= 1 } }
        return try await next(request, context)
    }
}
