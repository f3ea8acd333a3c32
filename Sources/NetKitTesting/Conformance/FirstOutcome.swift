import NetKit

/// The outcome of a body with a time limit.
enum FirstOutcome: Sendable {
    case ended(Result<Void, any Error>)
    case outOfTime

    /// Runs a body and waits for its end, but no longer than a limit.
    ///
    /// After the limit, the task of a hanging body is cancelled and abandoned.
    static func of(within limit: Duration, _ body: @escaping @Sendable () async throws -> Void) async -> FirstOutcome {
        let first = Promise<FirstOutcome>()
        let task = Task {
            let result = await Result.catching(body)
            first.resolve(.success(.ended(result)))
        }
        let patience = Task {
            try await StallTolerantTimeout(limit: limit).wait()
            first.resolve(.success(.outOfTime))
        }
        defer {
            patience.cancel()
            task.cancel()
        }
        return await withTaskCancellationHandler {
            (try? await first.value()) ?? .outOfTime
        } onCancel: {
            task.cancel()
        }
    }
}

extension FirstOutcome {
    /// Returns the verdict on a promise, the expected behavior, and the behavior that was seen.
    func verdict(
        on promise: String,
        within limit: Duration
    ) -> (verdict: ConformanceResult.Verdict, expected: String, seen: String) {
        switch self {
        case .outOfTime: (.hung, promise, "no end within \(limit)")
        case .ended(.success): (.kept, promise, "just that")
        case .ended(.failure(ConformanceFailure.broken(let wanted, let got))): (.broken, wanted, got)
        case .ended(.failure(ConformanceFailure.notPossible(let why))): (.skipped, promise, why)
        case .ended(.failure(let error)): (.broken, promise, ConformanceFailure.text(of: error))
        }
    }
}

/// A time limit that does not count periods in which the process as a whole is stalled.
///
/// The wait is divided into parts. A period in which all threads are blocked counts as one part at most.
struct StallTolerantTimeout: Sendable {
    private static let parts = 16

    let limit: Duration
    var clock = NetKitClock.system

    /// Waits for the limit, or throws as soon as the task is cancelled.
    func wait() async throws {
        for _ in 0..<Self.parts { try await clock.sleep(until: clock.now.advanced(by: limit / Self.parts)) }
    }
}
