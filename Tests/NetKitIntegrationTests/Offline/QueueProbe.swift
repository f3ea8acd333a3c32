import Dispatch
import Foundation
import NetKitTesting
import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// Runs of the program `NetKitQueueProbe`.
enum QueueProbe {
    /// Runs it to its end, or kills it after a time; returns its output, whole lines only, as words.
    static func run(
        _ arguments: [String],
        killAfter delay: Duration? = nil,
        environment: [String: String] = [:]
    ) async throws -> (status: Int32, lines: [[String]]) {
        let probe = try #require(BuiltCommand.queueProbe)
        let folder = try TemporaryFolder()
        let output = try folder.write(Data(), to: "output")
        let status = try await withCheckedThrowingContinuation { continuation in
            // Starting a process blocks, and the threads of the tests are few.
            DispatchQueue.global().async {
                do {
                    let process = Process()
                    process.executableURL = probe
                    process.arguments = arguments
                    process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, own in own }
                    process.standardInput = FileHandle.nullDevice
                    process.standardOutput = try FileHandle(forWritingTo: output)
                    process.standardError = FileHandle.nullDevice
                    process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
                    guard let delay else { return try process.runAlone() }
                    try process.runToBeKilled()
                    let id = process.processIdentifier
                    let nanoseconds = Int(delay / .nanoseconds(1))
                    DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) {
                        if process.isRunning { _ = kill(id, SIGKILL) }
                    }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
        let text = String(decoding: try Data(contentsOf: output), as: UTF8.self)
        let lines = text.components(separatedBy: "\n").dropLast()
        return (status, lines.map { $0.split(separator: " ").map(String.init) })
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips, with the reason, if the program was not built.
    static var needsQueueProbe: ConditionTrait {
        .enabled(if: BuiltCommand.queueProbe != nil, "the program NetKitQueueProbe is not beside the tests")
    }
}
