import Foundation
import NetKit

/// One promise that a store makes, and how it is put to the test.
public struct StoreConformanceCase<Trial: Sendable>: Sendable, Identifiable, CustomStringConvertible {
    /// The name, which stays the same from version to version, such as `append.bounds`.
    public let name: String
    /// The behavior of a good store, in a sentence.
    public let promise: String
    /// The time that the case may take until it counts as hung.
    public let timeLimit: Duration

    let body: @Sendable (Trial) async throws -> Void

    init(
        _ name: String,
        _ promise: String,
        timeLimit: Duration = .seconds(8),
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

    /// Tries the case on what a closure makes, and waits no longer than the time limit.
    func result(within limit: Duration, of makeTrial: @escaping @Sendable () async throws -> Trial) async
        -> StoreConformanceResult
    {
        let outcome = await FirstOutcome.of(within: limit) { try await body(makeTrial()) }
        let (verdict, expected, seen) = outcome.verdict(on: promise, within: limit)
        return StoreConformanceResult(name: name, promise: promise, verdict: verdict, expected: expected, seen: seen)
    }
}

/// The behavior of a store in one case.
public struct StoreConformanceResult: Sendable, CustomStringConvertible {
    /// The name of the case.
    public let name: String
    /// The promise of the case.
    public let promise: String
    /// The verdict.
    public let verdict: ConformanceResult.Verdict
    /// The behavior of a good store.
    public let expected: String
    /// The behavior of this store.
    public let seen: String

    /// A Boolean value that indicates whether the promise was kept, or does not apply to the store.
    public var isKept: Bool { verdict == .kept || verdict == .skipped }

    /// Name, verdict and what was seen, in a line.
    public var description: String {
        verdict == .kept ? "\(name): kept" : "\(name): \(verdict) — expected: \(expected); seen: \(seen)"
    }
}

/// Breaks a case off unless two values are equal.
func expect<Value: Equatable>(_ what: String, _ seen: Value, is expected: Value) throws {
    guard seen != expected else { return }
    throw ConformanceFailure.broken(expected: "\(what): \(expected)", seen: "\(what): \(seen)")
}

/// Breaks a case off unless something holds.
func expect(_ expected: String, _ holds: Bool, seen: @autoclosure () -> String = "not that") throws {
    if !holds { throw ConformanceFailure.broken(expected: expected, seen: seen()) }
}
