import NetKit
import Synchronization

/// Compares and prints; the first wrong result ends the process.
final class Checks: Sendable {
    private let passed = Mutex(0)

    var count: Int { passed.withLock { $0 } }

    func equal<Value: Equatable>(_ name: String, _ actual: Value, _ expected: Value) {
        guard actual == expected else { fail(name, "got \(actual), expected \(expected)") }
        passed.withLock { $0 += 1 }
        print("ok: \(name)")
    }

    /// Describes the error of a call: its code, or that it was cancelled, or that it did not throw.
    func throwing<Value>(
        _ name: String,
        _ expected: String,
        _ operation: () async throws -> Value
    ) async {
        do {
            let value = try await operation()
            fail(name, "got \(value), expected the error \(expected)")
        } catch let error as NetKitError {
            equal(name, "\(error.code), \(error.outcome)", expected)
        } catch {
            equal(name, "\(type(of: error))", expected)
        }
    }

    func fail(_ name: String, _ text: String) -> Never {
        FileHandle.standardError.write(Data("WRONG: \(name): \(text)\n".utf8))
        exit(1)
    }
}
