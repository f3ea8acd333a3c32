import Dispatch
import Foundation
import NetKit
import NetKitTesting
import Testing

/// The command `netkit`, as it was built beside the tests.
enum BuiltCommand {
    /// The location of the command.
    static let executable = find("netkit")

    /// The program for tests of queues.
    static let queueProbe = find("NetKitQueueProbe")

    /// The program that shares a token with others of its kind.
    static let tokenProbe = find("NetKitTokenProbe")

    /// The program for tests of caches.
    static let cacheBridge = find("NetKitCacheBridge")

    /// The program that drains an outbox.
    static let replicaProbe = find("NetKitReplicaProbe")

    /// The program that calls names of a test's own name server.
    static let nameProbe = find("NetKitNameProbe")

    /// The program that ends while its calls run.
    static let exitProbe = find("NetKitExitProbe")

    /// Looks in the folder of the test runner or of the test bundle, and in those above it.
    private static func find(_ name: String) -> URL? {
        var places = CommandLine.arguments.filter { $0.contains(".xctest") || $0.hasPrefix("/") }
        if let runner = Bundle.main.executableURL { places.insert(runner.path(), at: 0) }
        for place in places {
            var folder = URL(fileURLWithPath: place).deletingLastPathComponent()
            for _ in 0..<4 {
                let candidate = folder.appending(path: name)
                if isCommand(candidate) { return candidate }
                folder.deleteLastPathComponent()
            }
        }
        return nil
    }

    private static func isCommand(_ file: URL) -> Bool {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: file.path(), isDirectory: &isFolder) else { return false }
        return !isFolder.boolValue && FileManager.default.isExecutableFile(atPath: file.path())
    }

    struct Result {
        let status: Int32
        let output: String
        let notes: String
    }

    /// Runs the command to its end, in an environment without settings of NetKit's except the given ones.
    ///
    /// Its output may go elsewhere, and is not in the result then.
    static func run(
        _ arguments: [String],
        environment: [String: String] = [:],
        output: String? = nil
    ) async throws -> Result {
        let command: URL = try #require(executable)
        return try await run(command, arguments, environment: environment, output: output)
    }

    /// Runs a program in the same way.
    static func run(
        _ command: URL,
        _ arguments: [String],
        environment: [String: String] = [:],
        output place: String? = nil
    ) async throws -> Result {
        let folder = try TemporaryFolder()
        let output = try folder.write(Data(), to: "output")
        let notes = try folder.write(Data(), to: "notes")
        let status = try await withCheckedThrowingContinuation { continuation in
            // Starting a process blocks, and the threads of the tests are few.
            DispatchQueue.global().async {
                do {
                    let process = Process()
                    process.executableURL = command
                    process.arguments = arguments
                    process.currentDirectoryURL = folder.url
                    process.environment = ProcessInfo.processInfo.environment
                        .filter { !$0.key.hasPrefix("NETKIT_") }
                        .merging(environment) { _, own in own }
                    process.standardInput = FileHandle.nullDevice
                    process.standardOutput = try FileHandle(
                        forWritingTo: place.map { URL(fileURLWithPath: $0) } ?? output
                    )
                    process.standardError = try FileHandle(forWritingTo: notes)
                    process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
                    try process.runAlone()
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
        return Result(
            status: status,
            output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
            notes: String(decoding: try Data(contentsOf: notes), as: UTF8.self)
        )
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips, with the reason, if the command was not built.
    static var needsCommand: ConditionTrait {
        .enabled(if: BuiltCommand.executable != nil, "the command netkit is not beside the tests")
    }
}
