/// A test of one promise of a store.
public struct StoreConformanceCase<Trial: Sendable>: Sendable, Identifiable, CustomStringConvertible {
    /// The name, such as `append.bounds`, which does not change between versions.
    public let name: String
    /// The expected behavior, in a sentence.
    public let promise: String
    /// The time that the case may take until it counts as hung.
    public let timeLimit: Duration

    let body: @Sendable (Trial) async throws -> Void

    init(
        _ name: String,
        _ promise: String,
        timeLimit: Duration = .seconds(60),
        body: @escaping @Sendable (Trial) async throws -> Void
    ) {
        self.name = name
        self.promise = promise
        self.timeLimit = timeLimit
        self.body = body
    }

    /// The name.
    public var id: String { name }

    /// The name.
    public var description: String { name }

    /// Tries the case on a new trial, for at most a time limit.
    func result(within limit: Duration, of makeTrial: @escaping @Sendable () async throws -> Trial) async
        -> StoreConformanceResult
    {
        let outcome = await FirstOutcome.of(within: limit) { try await body(makeTrial()) }
        let (verdict, expected, seen) = outcome.verdict(on: promise, within: limit)
        return StoreConformanceResult(name: name, promise: promise, verdict: verdict, expected: expected, seen: seen)
    }
}

/// The result of a store in one case.
public struct StoreConformanceResult: Sendable, CustomStringConvertible {
    /// The name of the case.
    public let name: String
    /// The promise of the case.
    public let promise: String
    /// The verdict.
    public let verdict: ConformanceResult.Verdict
    /// The expected behavior.
    public let expected: String
    /// The behavior of this store.
    public let seen: String

    /// Whether the promise was kept or does not apply to the store.
    public var isKept: Bool { verdict == .kept || verdict == .skipped }

    /// The name, the verdict and the behavior, in one line.
    public var description: String {
        verdict == .kept ? "\(name): kept" : "\(name): \(verdict) — expected: \(expected); seen: \(seen)"
    }
}
