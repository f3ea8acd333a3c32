import Foundation
import NetKit

/// The error that ends a case: a broken promise, or a case that cannot be tried here.
enum ConformanceFailure: Error {
    case broken(expected: String, seen: String)
    case notPossible(String)

    /// Returns a short description of a value.
    static func text(of value: some Any) -> String {
        if let data = value as? Data {
            let text = data.count <= 60 ? String(validating: data, as: UTF8.self) : nil
            return text.map { "\"\($0)\"" } ?? "\(data.count) bytes"
        }
        let text = "\(value)"
        return text.count <= 1000 ? text : "\(text.prefix(1000))…"
    }
}

/// Fails the case unless two values are equal.
func expect<Value: Equatable>(_ what: String, _ seen: Value, is expected: Value) throws {
    guard seen != expected else { return }
    throw ConformanceFailure.broken(
        expected: "\(what): \(ConformanceFailure.text(of: expected))",
        seen: "\(what): \(ConformanceFailure.text(of: seen))"
    )
}

/// Fails the case unless a condition holds.
func expect(_ expected: String, _ holds: Bool, seen: @autoclosure () -> String = "not that") throws {
    if !holds { throw ConformanceFailure.broken(expected: expected, seen: seen()) }
}

/// Fails the case unless a response has a status and a body.
func expect(_ response: HTTPResponse, _ status: HTTPStatus, _ body: String) async throws {
    try expect("status", response.status.code, is: status.code)
    try expect("body", try await response.body.collect(upTo: 64 << 20), is: Data(body.utf8))
}

/// Returns a value, and fails the case if there is none.
func require<Value>(_ expected: String, _ value: Value?, seen: String = "nothing") throws -> Value {
    guard let value else { throw ConformanceFailure.broken(expected: expected, seen: seen) }
    return value
}

/// Waits until a condition holds, and fails the case after a time limit.
///
/// The pauses are counted, because the machine may stand still for longer than the limit.
func wait(for expected: String, upTo limit: Duration = .seconds(6), until holds: () async throws -> Bool) async throws {
    let interval = Duration.milliseconds(10)
    for _ in 0..<Int(limit / interval) {
        if try await holds() { return }
        try await NetKitClock.system.sleep(for: interval)
    }
    try expect(expected, try await holds(), seen: "nothing of the kind within \(limit)")
}

/// Returns the code of the error that a closure throws, or `nil` if it succeeds.
func errorCode(_ body: () async throws -> Void) async -> NetKitError.Code? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? NetKitError)?.code ?? .custom
    }
}
